"""The command evaluate, run in process."""

from __future__ import annotations

import csv
import json

import pytest

import labeltree as lt
from labeltree import TextTagger
from labeltree.cli import main
from tests.cli.text_files import ROWS, file_with, printed


def test_evaluate_prints_the_metrics_of_the_library(model, jsonl, capsys) -> None:
    assert main(["evaluate", model, jsonl, "--json"]) == 0
    figures = json.loads(printed(capsys))
    texts, tags = [text for text, _ in ROWS], [tags for _, tags in ROWS]
    assert figures.pop("n_rows") == 40
    assert figures.pop("n_unknown_labels") == figures.pop("n_rows_with_unknown_labels") == 0
    assert figures.pop("seconds_per_row") > 0
    assert figures == lt.load(model).evaluate(texts, tags)
    assert main(["evaluate", model, jsonl]) == 0
    table = printed(capsys)
    assert table.startswith("40 rows             @1        @3        @5\nP  ")
    assert f"{figures['P@1']:.4f}" in table


def test_evaluate_writes_a_table_of_labels(model, jsonl, tmp_path, capsys) -> None:
    report = tmp_path / "report.csv"
    assert main(["evaluate", model, jsonl, "--per-label", str(report)]) == 0
    with report.open() as stream:
        lines = {line["label"]: line for line in csv.DictReader(stream)}
    assert set(lines) == {"bread", "hot, wet", "rye", "tea"}
    assert lines["tea"]["rows"] == "16"
    assert lines["tea"]["f1"] == "1.0000"


def test_the_table_of_labels_supports_classes(tmp_path, capsys) -> None:
    lines = file_with(tmp_path, "tea\tdrink\nbread\tfood\nbread tea\tfood\n", "test.tsv")
    tagger = TextTagger().fit(["tea", "bread"] * 5, ["drink", "food"] * 5)
    tagger.save(tmp_path / "model.lt")
    report = tmp_path / "report.csv"
    assert main(["evaluate", str(tmp_path / "model.lt"), lines, "--per-label", str(report)]) == 0
    table = [line.split(",") for line in report.read_text().splitlines()[1:]]
    assert [line[:2] for line in table] == [["drink", "1"], ["food", "2"]]
    assert sum(int(line[2]) for line in table) == 3


def test_evaluate_saves_a_reliability_diagram(model, jsonl, tmp_path, capsys) -> None:
    pytest.importorskip("matplotlib")
    diagram = tmp_path / "reliability.png"
    assert main(["evaluate", model, jsonl, "--plot", str(diagram)]) == 0
    assert diagram.stat().st_size > 0


def test_evaluate_refuses_data_of_the_other_kind(model, matrices, capsys) -> None:
    assert main(["evaluate", model, *matrices]) == 2
    assert "trained on texts, but the data has numeric features" in capsys.readouterr().err


def test_labels_unknown_to_the_model_are_reported(model, tmp_path, capsys) -> None:
    lines = file_with(tmp_path, "tea\ttea,milk\nbread\tjam,milk\nrye\trye\n", "test.tsv")
    assert main(["evaluate", model, lines]) == 0
    note = "unknown: 2 labels in 2 rows are not in the model; they count as misses in recall"
    assert printed(capsys).splitlines()[-1] == note
    assert main(["evaluate", model, lines, "--json"]) == 0
    figures = json.loads(printed(capsys))
    assert (figures["n_unknown_labels"], figures["n_rows_with_unknown_labels"]) == (2, 2)
    assert figures["R@5"] == pytest.approx((1 / 2 + 0 + 1) / 3)


def test_known_labels_need_no_note(model, jsonl, capsys) -> None:
    assert main(["evaluate", model, jsonl]) == 0
    assert "unknown" not in printed(capsys)


def test_xmc_text_without_a_header_has_the_sizes_of_the_model(matrices, tmp_path, capsys) -> None:
    out = str(tmp_path / "made.lt")
    assert main(["train", *matrices, "-o", out, "--no-holdout", "-q"]) == 0
    rows = file_with(tmp_path, "0 0:1\n1 1:1\n", "rows.svm")
    assert main(["evaluate", out, rows, "--no-header"]) == 0
    assert "P               1.0000" in printed(capsys)
