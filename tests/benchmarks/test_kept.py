"""Figures of other systems are kept as long as nothing that they depend on has changed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.rivals.kept import may_keep
from benchmarks.rivals.prepare import Prepared
from benchmarks.rivals.systems import SYSTEMS, System

MACHINE = {"processor": "Abacus", "cores": 2, "commit": "abc1234"}


def named(name: str) -> System:
    return next(system for system in SYSTEMS if system.name == name)


FOREST = named("omikuji, 3 trees (default)")


@pytest.fixture
def data(tmp_path: Path) -> Prepared:
    made = Prepared("tiny", tmp_path)
    for name in ("omikuji, 1 tree", FOREST.name):
        made.hits.add(name, np.ones((2, 5), bool))
    return made


def old(**changes: Any) -> dict[str, Any]:
    found = {
        "system": FOREST.name,
        "status": "ok",
        "version": "0.5.2",
        "settings": {},
        "machine": {**MACHINE, "commit": "0000000"},
    }
    return {"systems": [found | changes]}


def test_figures_of_the_same_version_are_kept(data: Prepared) -> None:
    assert may_keep(FOREST, old(), data, MACHINE)


def test_times_that_are_compared_are_measured_again(data: Prepared) -> None:
    run = old(system="omikuji, 1 tree", settings={"n_trees": 1})
    assert not may_keep(named("omikuji, 1 tree"), run, data, MACHINE)


def test_labeltree_is_always_measured(data: Prepared) -> None:
    run = old(system="labeltree", version="0.1.0", settings={"random_state": 0})
    assert not may_keep(named("labeltree"), run, data, MACHINE)


@pytest.mark.parametrize(
    "changes",
    [
        {"version": "0.5.1"},
        {"settings": {"n_trees": 2}},
        {"machine": {**MACHINE, "processor": "Enigma"}},
        {"status": "not installed"},
        {"system": "omikuji, Bonsai"},
    ],
)
def test_what_has_changed_is_measured_again(changes: dict[str, Any], data: Prepared) -> None:
    assert not may_keep(FOREST, old(**changes), data, MACHINE)


def test_a_system_without_hits_is_measured_again(tmp_path: Path) -> None:
    empty = Prepared("tiny", tmp_path / "other")
    assert not may_keep(FOREST, old(), empty, MACHINE)
