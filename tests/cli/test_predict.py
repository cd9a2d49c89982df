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
from labeltree.cli.prediction_lines import as_tsv
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


TEXTS = [("green tea", ["bread"]), ("rye bread", ["tea", "rye"])]


def file_in(form: str, folder: Path) -> str:
    """Write the texts with wrong tags, so that a leak would show, and return the path."""
    folder.mkdir(exist_ok=True)
    joined = [(text, ",".join(tags)) for text, tags in TEXTS]
    if form == "folder":
        for i, (text, tags) in enumerate(TEXTS):
            file_with(folder, text, f"{i}.txt")
            file_with(folder, "\n".join(tags), f"{i}.key")
        return str(folder)
    rows = {
        "jsonl": [json.dumps({"text": text, "label": tags}) for text, tags in TEXTS],
        "tsv": [f"{text}\t{tags}" for text, tags in joined],
        "header.tsv": ["label\ttext", *(f"{tags}\t{text}" for text, tags in joined)],
        "csv": ["text;categories", *(f"{text};{tags}" for text, tags in joined)],
        "ft": ["".join(f"__label__{tag} " for tag in tags) + text for text, tags in TEXTS],
        "fasttext.txt": [
            "".join(f"__label__{tag} " for tag in tags) + text for text, tags in TEXTS
        ],
    }
    return file_with(folder, "\n".join(rows[form]), f"docs.{form}")


FORMS = ["jsonl", "tsv", "header.tsv", "csv", "ft", "fasttext.txt", "folder"]


@pytest.mark.parametrize("form", FORMS)
def test_predict_reads_what_evaluate_reads_and_ignores_its_tags(
    form, model, tmp_path, capfd
) -> None:
    data = file_in(form, tmp_path / "docs")
    assert main(["predict", model, data, "--output-format", "jsonl"]) == 0
    found = [json.loads(line)["labels"] for line in capfd.readouterr().out.splitlines()]
    expected = lt.load(model).tag([text for text, _ in TEXTS])
    assert found == [[tag for tag, _ in row] for row in expected]
    assert main(["evaluate", model, data]) == 0


@pytest.mark.parametrize(("form", "name"), [("tsv", "tsv"), ("ft", "fasttext")])
def test_standard_input_has_raw_lines_unless_a_format_is_given(form, name, model, tmp_path) -> None:
    data = Path(file_in(form, tmp_path / "docs"))
    outputs = []
    for options in ([], ["--format", name]):
        with data.open() as stream:
            done = command("predict", model, "-", *options, stdin=stream, stdout=subprocess.PIPE)
        assert done.returncode == 0
        outputs.append(done.stdout)
    tagger = lt.load(model)
    for output, lines in zip(
        outputs, (data.read_text().splitlines(), [text for text, _ in TEXTS]), strict=True
    ):
        assert output.splitlines() == [
            "\t".join(f"{tag}:{p:.4f}" for tag, p in row) for row in tagger.tag(lines)
        ]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("docs.jsonl", '{"text": "tea", "key": 17}\n{"text": "bread", "key": "b"}\n'),
        ("docs.csv", "key,text\n17,tea\nb,bread\n"),
        ("docs.tsv", "key\ttext\n17\ttea\nb\tbread\n"),
    ],
)
def test_identifiers_are_copied_to_the_output(name, content, model, tmp_path, capfd) -> None:
    data = file_with(tmp_path, content, name)
    arguments = ["predict", model, data, "--id-field", "key", "-k", "1"]
    assert main(arguments) == 0
    assert [line.split("\t")[0] for line in capfd.readouterr().out.splitlines()] == ["17", "b"]
    assert main([*arguments, "--output-format", "csv"]) == 0
    table = list(csv.DictReader(capfd.readouterr().out.splitlines()))
    assert [(line["row"], line["id"], line["rank"]) for line in table] == [
        ("0", "17", "1"),
        ("1", "b", "1"),
    ]
    assert main([*arguments, "--output-format", "jsonl"]) == 0
    rows = [json.loads(line) for line in capfd.readouterr().out.splitlines()]
    assert [row["id"] for row in rows] == [17 if name == "docs.jsonl" else "17", "b"]


def test_the_identifiers_of_a_folder_are_file_names(model, tmp_path, capfd) -> None:
    data = file_in("folder", tmp_path / "docs")
    assert main(["predict", model, data, "-k", "1"]) == 0
    lines = capfd.readouterr().out.splitlines()
    assert [line.split("\t")[0] for line in lines] == ["0.txt", "1.txt"]


def test_a_format_without_fields_has_no_identifiers(model, tmp_path, capsys) -> None:
    data = file_in("ft", tmp_path / "docs")
    assert main(["predict", model, data, "--id-field", "key"]) == 2
    message = "--id-field applies to jsonl, tsv, csv, parquet, but the format is fasttext"
    assert message in capsys.readouterr().err
    data = file_in("tsv", tmp_path / "docs")
    assert main(["predict", model, data, "--id-field", "key"]) == 1
    assert "identifiers need a first line that names the fields" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "first"),
    [
        ("tags.csv", "row,rank,label,probability"),
        ("tags.tsv", "row\trank\tlabel\tprobability"),
        ("tags.jsonl", '{"labels": ["tea"],'),
        ("tags.txt", "tea:0."),
    ],
)
def test_the_suffix_of_the_output_is_its_format(name, first, model, tmp_path) -> None:
    lines, out = file_with(tmp_path, "green tea\n", "texts.txt"), tmp_path / name
    assert main(["predict", model, lines, "-k", "1", "-o", str(out)]) == 0
    assert out.read_text().startswith(first)
    assert main(["predict", model, lines, "-o", str(out), "--output-format", "text"]) == 0
    assert out.read_text().startswith("tea:0.")


def test_a_label_with_a_tab_is_quoted_in_tsv() -> None:
    assert as_tsv("a", [("x\ty", 0.5)], 3) == '3\ta\t1\t"x\ty"\t0.500000\n'


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
    assert main(["predict", out, *matrices, "--k", "1"]) == 0
    assert len(capfd.readouterr().out.splitlines()) == 24
    assert main(["predict", out, matrices[1], "--k", "1"]) == 0
    assert len(capfd.readouterr().out.splitlines()) == 24
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


def test_texts_without_a_known_word_are_reported(model, tmp_path, capsys) -> None:
    (tmp_path / "new.txt").write_text("green tea\nqqq zzz\n\nxyzzy\n")
    assert main(["predict", model, str(tmp_path / "new.txt"), "--format", "lines"]) == 0
    assert "of 4 texts have no word that the model knows" in capsys.readouterr().err
    assert main(["predict", model, str(tmp_path / "new.txt"), "--format", "lines", "-q"]) == 0
    assert capsys.readouterr().err == ""
