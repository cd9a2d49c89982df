"""The command inspect, run in this process."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from labeltree import PLTClassifier
from labeltree.cli import main


@pytest.fixture
def model(tmp_path) -> str:
    clf = PLTClassifier(tree="star", C=2.0, n_jobs=1)
    clf.fit([[1, 0], [0, 1], [1, 1]], [["tea", "milk"], ["bread"], ["tea"]])
    clf.save(tmp_path / "model.lt")
    return str(tmp_path / "model.lt")


def test_inspect_prints_what_is_in_a_model(model, capsys) -> None:
    assert main(["inspect", model]) == 0
    lines = dict(line.split(None, 1) for line in capsys.readouterr().out.splitlines()[:6])
    assert lines["estimator"] == "PLTClassifier, trained on sets"
    assert lines["labels"] == "3, named by text"
    assert lines["features"] == "2, numbered from 0"
    assert lines["tree"] == "0          4 nodes, depth 1, at most 3 children a node"


def test_inspect_prints_cost_and_parameters_that_were_set(model, capsys) -> None:
    main(["inspect", model])
    printed = capsys.readouterr().out
    assert "training cost   12 over 3 rows, 4.00 a row" in printed
    assert "C=2.0, tree='star'" in printed


def test_inspect_compares_checksums_if_asked(model, capsys) -> None:
    main(["inspect", model])
    assert "checksums       not compared" in capsys.readouterr().out
    main(["inspect", model, "--verify"])
    assert "checksums       right" in capsys.readouterr().out


def test_inspect_gives_json(model, capsys) -> None:
    assert main(["inspect", model, "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert figures["trees"] == [{"n_nodes": 4, "depth": 1, "max_degree": 3}]
    assert figures["parameters"]["C"] == 2.0
    assert figures["n_bytes"] == Path(model).stat().st_size


def test_inspect_finds_damage_only_if_asked(model, capsys) -> None:
    content = bytearray(Path(model).read_bytes())
    content[-1] ^= 1  # within a bias, which stays finite
    Path(model).write_bytes(content)
    assert main(["inspect", model]) == 0
    assert main(["inspect", model, "--verify"]) == 1
    assert "is damaged: its checksum" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "message"),
    [("none.lt", "No such file"), ("train.txt", "no labeltree model file"), ("", "it is a folder")],
)
def test_inspect_says_what_is_no_model(name, message, xmc, tmp_path, capsys) -> None:
    assert main(["inspect", str(tmp_path / name)]) == 1
    assert message in capsys.readouterr().err
