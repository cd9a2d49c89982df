"""The command inspect, run in process."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from labeltree import PLTClassifier
from labeltree.cli import main
from tests.crossed_words import crossed
from tests.model_files import put, with_section


@pytest.fixture
def model(tmp_path) -> str:
    clf = PLTClassifier(tree="star", C=2.0, n_jobs=1)
    clf.fit([[1, 0], [0, 1], [1, 1]], [["tea", "milk"], ["bread"], ["tea"]])
    clf.save(tmp_path / "model.lt")
    return str(tmp_path / "model.lt")


def test_inspect_prints_the_contents_of_a_model(model, capsys) -> None:
    assert main(["inspect", model]) == 0
    lines = dict(line.split(None, 1) for line in capsys.readouterr().out.splitlines()[:6])
    assert lines["estimator"] == "PLTClassifier, trained on sets"
    assert lines["labels"] == "3, named by text"
    assert lines["features"] == "2, numbered from 0"
    assert lines["tree"] == "0          4 nodes, depth 1, at most 3 children per node"


def test_inspect_prints_the_number_of_pairs(tmp_path, capsys) -> None:
    clf = PLTClassifier(interactions=1.0, n_jobs=1, C=1.0).fit(*crossed(400))
    clf.save(tmp_path / "pairs.lt")
    n_pairs = len(clf.interactions_)
    main(["inspect", str(tmp_path / "pairs.lt")])
    printed = capsys.readouterr().out
    assert f"72, numbered from 0; {n_pairs} pairs of them; values to the power of 1\n" in printed
    assert f"settings        auto; C=1; max_iter=8; {n_pairs} pairs of features\n" in printed
    main(["inspect", str(tmp_path / "pairs.lt"), "--json"])
    figures = json.loads(capsys.readouterr().out)
    assert (figures["n_features"], figures["n_interactions"]) == (72, n_pairs)
    assert figures["settings"]["n_interactions"] == n_pairs


def test_inspect_prints_cost_and_parameters_that_were_set(model, capsys) -> None:
    main(["inspect", model])
    printed = capsys.readouterr().out
    assert "training cost   12 over 3 rows, 4.00 per row" in printed
    assert "C=2.0, tree='star'" in printed


def test_inspect_prints_what_fit_decided(model, capsys) -> None:
    main(["inspect", model])
    assert "settings        star; C=2; max_iter=8\n" in capsys.readouterr().out


def test_inspect_verifies_checksums_on_request(model, capsys) -> None:
    main(["inspect", model])
    assert "checksums       not compared" in capsys.readouterr().out
    main(["inspect", model, "--verify"])
    assert "checksums       correct" in capsys.readouterr().out


def test_inspect_prints_json(model, capsys) -> None:
    assert main(["inspect", model, "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert figures["trees"] == [{"n_nodes": 4, "depth": 1, "max_degree": 3}]
    sections = {section["name"]: section for section in figures["sections"]}
    assert sections["estimator"]["content"]["parameters"]["C"] == 2.0
    assert [array["name"] for array in sections["labels"]["arrays"]] == [
        "labels.text",
        "labels.ends",
    ]
    assert figures["n_bytes"] == Path(model).stat().st_size


def test_inspect_lists_the_sections(model, capsys) -> None:
    main(["inspect", model])
    printed = capsys.readouterr().out
    assert "sections        estimator            required       0B" in printed
    assert "                written_by           optional       0B" in printed
    assert "                labels               required      44B" in printed


def test_inspect_says_which_sections_are_unknown(model, tmp_path, capsys) -> None:
    file = put(tmp_path, with_section(Path(model).read_bytes(), "later", required=False))
    main(["inspect", str(file)])
    expected = "later                optional      20B  unknown to this release, skipped"
    assert expected in capsys.readouterr().out


def test_inspect_finds_damage_only_if_asked(model, capsys) -> None:
    content = bytearray(Path(model).read_bytes())
    content[-65] ^= 1  # within the weights, the last array but one
    Path(model).write_bytes(content)
    assert main(["inspect", model]) == 0
    assert main(["inspect", model, "--verify"]) == 1
    assert "is damaged: its checksum" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("none.lt", "No such file"),
        ("train.txt", "not a labeltree model file"),
        ("", "it is a folder"),
    ],
)
def test_inspect_refuses_files_that_are_not_models(name, message, xmc, tmp_path, capsys) -> None:
    assert main(["inspect", str(tmp_path / name)]) == 1
    assert message in capsys.readouterr().err
