"""The command predict; pipes and full disks in a separate process."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from pathlib import Path

import pytest

import labeltree as lt
from labeltree.cli import main
from tests.cli.text_files import BROKEN, command, file_with


def test_predict_equals_the_library(model, tmp_path, capfd) -> None:
    queries = ["tea", "", "kohlrabi", "rye bread"]
    lines = file_with(tmp_path, "\n".join(queries), "texts.txt")
    expected = lt.load(model).tag(queries, k=2)
    arguments = ["predict", model, lines, "--k", "2", "--chunk", "3"]
    assert main(arguments) == 0
    text = [
        [cell.rpartition(":") for cell in line.split("\t")]
        for line in capfd.readouterr().out.splitlines()
    ]
    assert [[(tag, p) for tag, _, p in row] for row in text] == [
        [(tag, f"{p:.4f}") for tag, p in row] for row in expected
    ]
    assert main([*arguments, "--output-format", "jsonl"]) == 0
    rows = [json.loads(line) for line in capfd.readouterr().out.splitlines()]
    assert [row["labels"] for row in rows] == [[tag for tag, _ in row] for row in expected]
    assert rows[0]["probabilities"] == [round(p, 6) for _, p in expected[0]]
    assert main([*arguments, "--output-format", "csv"]) == 0
    table = list(csv.reader(capfd.readouterr().out.splitlines()))
    assert table[0] == ["row", "rank", "label", "probability"]
    assert [(line[0], line[1]) for line in table[1:]] == [
        (str(i), str(rank)) for i in range(4) for rank in (1, 2)
    ]


def test_a_tag_with_a_comma_is_quoted_in_csv(model, tmp_path, capfd) -> None:
    lines = file_with(tmp_path, "green tea\n", "texts.txt")
    assert main(["predict", model, lines, "--output-format", "csv"]) == 0
    assert "hot, wet" in [line[2] for line in csv.reader(capfd.readouterr().out.splitlines())]


def test_predict_reads_jsonl_and_csv(model, tmp_path, capfd) -> None:
    jsonl = file_with(tmp_path, '{"body": "tea"}\n', "texts.jsonl")
    table = file_with(tmp_path, "body,tags\ntea,\n", "texts.csv")
    assert main(["predict", model, jsonl, "--text-field", "body"]) == 0
    first = capfd.readouterr().out
    assert main(["predict", model, table, "--text-field", "body"]) == 0
    assert capfd.readouterr().out == first
    assert first.startswith("tea:")


def test_a_line_is_empty_if_no_label_reaches_the_threshold(model, tmp_path, capfd) -> None:
    lines = file_with(tmp_path, "green tea\nkohlrabi\n", "texts.txt")
    assert main(["predict", model, lines, "--threshold", "0.6"]) == 0
    assert [bool(line) for line in capfd.readouterr().out.split("\n")] == [True, False, False]


def test_predict_accepts_numeric_features(matrices, tmp_path, capfd) -> None:
    out = str(tmp_path / "made.lt")
    assert main(["train", *matrices, "-o", out, "--no-holdout", "-q"]) == 0
    assert main(["predict", out, *matrices[:2], "--k", "1", "--chunk", "5"]) == 0
    labels = [line.partition(":")[0] for line in capfd.readouterr().out.splitlines()]
    assert labels == ["0", "1", "2"] * 8
    rows = file_with(tmp_path, "1 3 3\n 1:1\n", "rows.txt")
    assert main(["predict", out, rows, "--k", "1"]) == 0
    assert capfd.readouterr().out.startswith("1:")


def test_malformed_json_is_reported_and_no_file_is_left(model, tmp_path, capsys) -> None:
    data = file_with(tmp_path, "\n".join(BROKEN), "texts.jsonl")
    out = tmp_path / "tags.txt"
    assert main(["predict", model, data, "-o", str(out)]) == 1
    assert "texts.jsonl: line 17: broken JSON" in capsys.readouterr().err
    assert not out.exists()


def test_a_closed_pipe_is_not_an_error(model, tmp_path) -> None:
    lines = file_with(tmp_path, "tea\n" * 20_000, "texts.txt")
    words = [sys.executable, "-m", "labeltree.cli", "predict", model, lines]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 0


def test_output_to_a_full_disk_fails_with_one_sentence(model, tmp_path) -> None:
    lines = file_with(tmp_path, "tea\n", "texts.txt")
    with Path("/dev/full").open("w") as full:
        done = command("predict", model, lines, stdout=full)
    assert done.returncode == 1
    assert done.stderr == "labeltree: standard output: No space left on device\n"


@pytest.mark.parametrize("command_name", ["predict", "evaluate", "explain"])
def test_a_model_of_a_later_version_is_refused(command_name, model, jsonl, capsys) -> None:
    content = bytearray(Path(model).read_bytes())
    content[8] = 9
    Path(model).write_bytes(content)
    assert main([command_name, model, jsonl]) == 1
    assert "it has format 9; this release reads format 1" in capsys.readouterr().err
