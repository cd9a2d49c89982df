"""The command train with descriptions of tags."""

from __future__ import annotations

import labeltree as lt
from labeltree.cli import main
from tests.cli.text_files import file_with


def trained(data: str, folder, *options: str) -> lt.TextTagger:
    out = str(folder / "made.lt")
    assert main(["train", data, "-o", out, "-q", "--n-jobs", "1", *options]) == 0
    return lt.load(out)


def test_described_tags_without_texts_are_predicted(jsonl, tmp_path) -> None:
    tsv = file_with(tmp_path, "boiled fruit\tjam\nhot leaves\ttea\n", "tags.tsv")
    tagger = trained(jsonl, tmp_path, "--descriptions", tsv)
    assert tagger.tag(["fruit"], k=1)[0][0][0] == "jam"


def test_descriptions_of_one_tag_are_joined(jsonl, tmp_path) -> None:
    one = '{"text": "fruit\\nsugar", "labels": ["jam"]}'
    two = '{"text": "fruit", "labels": ["jam"]}\n{"text": "sugar", "labels": ["jam"]}'
    found = []
    for lines in (one, two):
        path = file_with(tmp_path, lines, "tags.jsonl")
        found.append(trained(jsonl, tmp_path, "--descriptions", path).tag(["sugar"]))
    assert found[0] == found[1]


def test_the_weight_of_descriptions_may_be_set(jsonl, tmp_path) -> None:
    tsv = file_with(tmp_path, "hot leaves\ttea\n", "tags.tsv")
    found = [
        dict(trained(jsonl, tmp_path, "--descriptions", tsv, *weight).tag(["leaves"])[0])["tea"]
        for weight in ([], ["--description-weight", "5"])
    ]
    assert found[1] > found[0]


def test_a_hierarchy_may_have_described_tags(jsonl, tmp_path) -> None:
    tsv = file_with(tmp_path, "boiled fruit\tjam\n", "tags.tsv")
    taxonomy = file_with(tmp_path, "jam\tfood\nbread\tfood\ntea\tdrink\n", "taxonomy.tsv")
    tagger = trained(jsonl, tmp_path, "--descriptions", tsv, "--hierarchy", taxonomy)
    assert tagger.tag(["fruit"], k=1)[0][0][0] == "jam"


def test_a_weight_needs_descriptions(jsonl, tmp_path, capsys) -> None:
    out = str(tmp_path / "made.lt")
    assert main(["train", jsonl, "-o", out, "--description-weight", "1"]) == 2
    assert "add --descriptions FILE" in capsys.readouterr().err


def test_numeric_features_cannot_be_described(xmc, jsonl, tmp_path, capsys) -> None:
    out = str(tmp_path / "made.lt")
    assert main(["train", xmc, "-o", out, "--descriptions", jsonl]) == 2
    assert main(["train", jsonl, "-o", out, "--descriptions", xmc]) == 2
    assert capsys.readouterr().err.count("--descriptions") == 2


def test_an_invalid_weight_is_refused(jsonl, tmp_path, capsys) -> None:
    out = str(tmp_path / "made.lt")
    options = ["--descriptions", jsonl, "--description-weight", "0"]
    assert main(["train", jsonl, "-o", out, *options]) == 2
    assert "must be above 0 and finite, but is 0" in capsys.readouterr().err


def test_descriptions_are_not_overwritten(jsonl, tmp_path, capsys) -> None:
    tsv = file_with(tmp_path, "hot leaves\ttea\n", "tags.tsv")
    assert main(["train", jsonl, "-o", tsv, "--descriptions", tsv]) == 2
    assert "is both input and output" in capsys.readouterr().err


def test_descriptions_are_not_read_from_standard_input(jsonl, tmp_path, capsys) -> None:
    assert main(["train", jsonl, "-o", str(tmp_path / "made.lt"), "--descriptions", "-"]) == 2
    assert "--descriptions must be a file" in capsys.readouterr().err
