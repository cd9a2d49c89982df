"""The pages about labeltree.torch."""

import re
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="labeltree.torch needs torch")

import torch

import labeltree.torch
from tests.shown_errors import message_of, not_raised

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize(
    ("page", "written"),
    [("torch.md", set()), ("torch-training.md", {"model.lt"}), ("torch-speed.md", set())],
)
def test_the_examples_of_a_page_run_one_after_the_other(
    page, written, tmp_path, monkeypatch
) -> None:
    monkeypatch.chdir(tmp_path)
    examples = re.findall(
        r"```python\n(.*?)```", (DOCS / "how-to" / page).read_text(), flags=re.DOTALL
    )
    exec(compile("\n".join(examples), page, "exec"), {})
    assert {path.name for path in tmp_path.iterdir()} == written


def test_the_reference_lists_every_public_name() -> None:
    listed = re.findall(
        r"::: labeltree\.torch\.(\w+)", (DOCS / "reference" / "torch.md").read_text()
    )
    assert sorted(listed) == sorted(labeltree.torch.__all__)


def test_the_guide_shows_what_layers_say() -> None:
    head, x = labeltree.torch.TreeSoftmax(64, 1000), torch.randn(32, 64)
    said = [
        message_of(lambda: head(torch.randn(4, 8, 64), torch.zeros(4, dtype=torch.int64))),
        message_of(lambda: head(x, torch.zeros(32, 2, dtype=torch.int64))),
        message_of(lambda: labeltree.torch.graphed(head, 32)),
    ]
    assert not_raised("torch", said) == []
