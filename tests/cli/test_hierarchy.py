"""The commands with the user's own hierarchy."""

from __future__ import annotations

import json
import warnings

import pytest

import labeltree as lt
from labeltree import TextTagger
from labeltree.cli import main
from labeltree.trees import from_hierarchy
from tests.animals import LABELS, PAIRS


@pytest.fixture
def files(tmp_path) -> dict[str, str]:
    rows = [("curly bark", ["poodle"]), ("short bark", ["boxer"]), ("meow", ["cat"])] * 8
    rows += [("moo", ["cow"]), ("green leaf", ["oak"]), ("sip", ["tea"])] * 8
    lines = [json.dumps({"text": text, "tags": tags}) for text, tags in rows]
    (tmp_path / "docs.jsonl").write_text("\n".join(lines))
    (tmp_path / "t.tsv").write_text("".join(f"{below}\t{above}\n" for above, below in PAIRS))
    names = {"docs": "docs.jsonl", "taxonomy": "t.tsv", "model": "model.lt"}
    return {name: str(tmp_path / file) for name, file in names.items()}


def test_train_accepts_a_hierarchy_and_predict_adds_ancestors(files, capsys) -> None:
    train = ["train", files["docs"], "-o", files["model"], "--hierarchy", files["taxonomy"]]
    assert main([*train, "--no-holdout"]) == 0
    stderr = capsys.readouterr().err
    assert (
        "labeltree: 1 of 6 labels are not in the hierarchy, such as 'tea'; they hang under the "
        "root\n"
    ) in stderr
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = from_hierarchy(files["taxonomy"], sorted({*LABELS, "tea"} - {"dog"}))
    tagger = lt.load(files["model"])
    assert isinstance(tagger, TextTagger)
    assert tagger.trees_ == [expected]
    predict = ["predict", files["model"], files["docs"], "--threshold", "0.4"]
    assert main([*predict, "--ancestors", files["taxonomy"], "--output-format", "jsonl"]) == 0
    first = json.loads(capsys.readouterr().out.splitlines()[0])
    assert first["labels"][-1] == "poodle"
    assert sorted(first["labels"][:-1]) == ["animal", "dog", "pet"]
    assert first["probabilities"] == sorted(first["probabilities"], reverse=True)


def test_collapse_needs_a_hierarchy(files, capsys) -> None:
    train = ["train", files["docs"], "-o", files["model"]]
    assert main([*train, "--collapse"]) == 2
    assert main([*train, "--hierarchy", files["taxonomy"], "--tree", "kmeans"]) == 2
    assert main([*train, "-q", "--hierarchy", files["taxonomy"], "--collapse"]) == 0


def test_tune_keeps_the_hierarchy_in_the_printed_command(files, capsys) -> None:
    tune = ["tune", files["docs"], "-q", "--dry-run", "--n-settings", "2"]
    assert main([*tune, "--hierarchy", files["taxonomy"]]) == 0
    assert f"--hierarchy {files['taxonomy']} -o" in capsys.readouterr().out
