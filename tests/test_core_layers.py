"""The folders of core/ form layers: each includes only the folders listed for it."""

import re
from pathlib import Path

import pytest

CORE = Path(__file__).parent.parent / "core"
# Lowest first; each folder may include itself and these.
LAYERS: dict[str, set[str]] = {
    "base": set(),
    "data": {"base"},
    "tree": {"base", "data"},
    "build": {"base", "data", "tree"},
    "model": {"base", "data", "tree"},
    "train": {"base", "data", "tree", "model"},
    "search": {"base", "data", "tree", "model"},
    "online": {"base", "data", "tree", "model"},
}


def included(folder: str) -> set[str]:
    texts = [path.read_text() for path in (CORE / folder).glob("*.?pp")]
    return {found for text in texts for found in re.findall(r'#include "(\w+)/', text)}


def test_every_folder_of_the_core_is_a_layer() -> None:
    assert {path.parent.name for path in CORE.rglob("*.?pp")} == set(LAYERS)


@pytest.mark.parametrize("folder", LAYERS)
def test_a_layer_includes_only_lower_layers(folder: str) -> None:
    assert included(folder) <= LAYERS[folder] | {folder}


def test_layers_are_listed_lowest_first() -> None:
    names = list(LAYERS)
    assert all(LAYERS[name] <= set(names[:i]) for i, name in enumerate(names))


def test_includes_name_their_folder() -> None:
    texts = [path.read_text() for path in CORE.rglob("*.?pp")]
    assert not [line for text in texts for line in re.findall(r'#include "[^/"]+"', text)]
