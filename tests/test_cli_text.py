"""The commands from text to tags, run in this process; pipes and full disks in one of their own."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

import labeltree as lt
from labeltree import PLTClassifier, TextTagger
from labeltree.cli import main
from labeltree.data import read_csv, read_folder
from tests.text_files import file_with, jsonl_of, saved_tagger

DRINKS = [("green tea", ["tea", "hot, wet"]), ("black tea", ["tea"]), ("", [])]
BREADS = [("white bread", ["bread"]), ("rye bread", ["bread", "rye"])]
ROWS = (DRINKS + BREADS) * 8


@pytest.fixture
def jsonl(tmp_path: Path) -> str:
    return jsonl_of(tmp_path, ROWS, tags="labels")


@pytest.fixture
def model(tmp_path: Path) -> str:
    return saved_tagger(tmp_path, ROWS)


@pytest.fixture
def matrices(tmp_path: Path) -> list[str]:
    X = sparse.csr_array(np.tile(np.eye(3, dtype=np.float32), (8, 1)))
    sparse.save_npz(tmp_path / "X.npz", X)
    sparse.save_npz(tmp_path / "Y.npz", X.astype(np.uint8))
    return ["--x", str(tmp_path / "X.npz"), "--y", str(tmp_path / "Y.npz")]


def printed(capsys) -> str:
    return str(capsys.readouterr().out)


def command(*arguments: str, **options) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, "-m", "labeltree.cli", *arguments]
    return subprocess.run(words, text=True, check=False, stderr=subprocess.PIPE, **options)


# labeltree train --------------------------------------------------------------------------------


def test_train_writes_a_tagger_and_a_report(jsonl, tmp_path, capsys) -> None:
    out = tmp_path / "made.lt"
    assert main(["train", jsonl, "-o", str(out), "--n-jobs", "1"]) == 0
    lines = dict(line.split(None, 1) for line in printed(capsys).splitlines())
    assert lines["rows"] == "36 to train by, 2 to judge by"
    assert lines["labels"].startswith("4, ")
    assert {"P@1", "ECE@5", "cost", "written", "time"} <= lines.keys()
    assert lt.load(out).tag(["tea"], top_k=1)[0][0][0] == "tea"


def test_train_without_holdout_is_the_fit_of_the_library(jsonl, model, tmp_path, capsys) -> None:
    out = str(tmp_path / "made.lt")
    assert main(["train", jsonl, "-o", out, "--no-holdout", "--n-jobs", "1"]) == 0
    assert lt.load(out).tag(["tea", ""]) == lt.load(model).tag(["tea", ""])
    assert "P@1" not in printed(capsys)


def test_train_reads_csv_tsv_and_folders(tmp_path, capsys) -> None:
    rows = [("green tea", "tea;hot"), ("rye bread", "bread")] * 3
    table = "body,topics\n" + "".join(f'"{text}","{tags}"\n' for text, tags in rows)
    lines = "".join(f"{text}\t{tags}\n" for text, tags in rows)
    for i, (text, tags) in enumerate(rows):
        (tmp_path / "folder").mkdir(exist_ok=True)
        (tmp_path / "folder" / f"{i}.txt").write_text(text)
        (tmp_path / "folder" / f"{i}.key").write_text(tags.replace(";", "\n"))
    made = []
    for arguments in (
        [file_with(tmp_path, table, "docs.csv"), "--text-field", "body", "--label-field", "topics"],
        [file_with(tmp_path, lines, "docs.tsv")],
        [str(tmp_path / "folder")],
    ):
        out = str(tmp_path / "made.lt")
        assert main(["train", *arguments, "--separator", ";", "-o", out, "--no-holdout"]) == 0
        made.append(lt.load(out).tag(["tea"]))
    assert made[0] == made[1] == made[2]
    assert len(made[0][0]) == 3


def test_train_takes_options_of_the_library(jsonl, tmp_path, capsys) -> None:
    options = "--ngram-range 1 1 --min-df 2 --C 2 --tree kmeans --n-trees 2 --loss logistic"
    out = str(tmp_path / "made.lt")
    assert main(["train", jsonl, "-o", out, *options.split(), "--no-sublinear-tf"]) == 0
    found = lt.load(out).get_params()
    expected = {"ngram_range": (1, 1), "min_df": 2, "C": 2.0, "tree": "kmeans", "n_trees": 2}
    assert found == TextTagger(loss="logistic", sublinear_tf=False, **expected).get_params()


def test_compressed_models_are_smaller_and_rank_alike(jsonl, tmp_path, capsys) -> None:
    plain, small = tmp_path / "plain.lt", tmp_path / "small.lt"
    assert main(["train", jsonl, "-q", "-o", str(plain)]) == 0
    assert main(["train", jsonl, "-q", "-o", str(small), "--compress"]) == 0
    assert lt.load(small).model_.n_bytes < lt.load(plain).model_.n_bytes
    assert lt.load(small).tag(["tea"], top_k=1)[0][0][0] == "tea"


def test_train_on_matrices_makes_a_classifier(matrices, tmp_path, capsys) -> None:
    out = str(tmp_path / "made.lt")
    assert main(["train", *matrices, "-o", out]) == 0
    assert type(lt.load(out)) is PLTClassifier


def test_quiet_training_prints_nothing(jsonl, tmp_path, capsys) -> None:
    assert main(["train", jsonl, "-q", "-o", str(tmp_path / "made.lt")]) == 0
    both = capsys.readouterr()
    assert both.out + both.err == ""


def test_one_label_is_enough(tmp_path, capsys) -> None:
    data = file_with(tmp_path, "tea\tdrink\nrain\t\n", "docs.tsv")
    assert main(["train", data, "-o", str(tmp_path / "made.lt")]) == 0
    assert printed(capsys).startswith("rows           2 to train by, 0 to judge by\n")


def test_labels_only_in_held_out_rows_are_no_harm(tmp_path, capsys) -> None:
    lines = "".join(f"tea number{i}\ttag{i}\n" for i in range(10))
    data = file_with(tmp_path, lines, "docs.tsv")
    assert main(["train", data, "-o", str(tmp_path / "made.lt"), "--holdout", "0.5"]) == 0
    assert "P@1 / 3 / 5    0.0 % / 0.0 % / 0.0 %" in printed(capsys)


BROKEN = [*['{"text": "tea", "labels": ["a"]}'] * 16, '{"text": "tea", "labels": ["a"}']


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("docs.jsonl", b"", "docs.jsonl: there are no rows"),
        (
            "docs.jsonl",
            "\n".join(BROKEN).encode(),
            "docs.jsonl: line 17: broken JSON: Expecting ',' delimiter at character 31",
        ),
        ("docs.jsonl", b'{"body": "tea"}', 'docs.jsonl: line 1: field "text" is missing'),
        (
            "docs.tsv",
            "grüner tee\ttee\n".encode("latin-1"),
            "docs.tsv: line 1: not UTF-8: byte 0xfc",
        ),
        ("docs.tsv", b"tea\t\n", "docs.tsv: no row has a label"),
        ("docs.tsv", b"?\ta\n!\tb\n", "no text has a word: words are two letters or more"),
        ("docs.csv", b"text,topics\ntea,drink\n", 'docs.csv: line 1: column "tags" is missing'),
        ("docs.csv", b"text,tags\ntea,a,b\n", "docs.csv: line 2: a row must have 2 fields"),
        ("docs.csv", b'text,tags\n"tea\n', "docs.csv: line 2: broken CSV"),
    ],
)
def test_bad_data_is_one_sentence_and_nothing_is_written(
    name, content, message, tmp_path, capsys
) -> None:
    (tmp_path / name).write_bytes(content)
    out = tmp_path / "made.lt"
    assert main(["train", str(tmp_path / name), "-o", str(out)]) == 1
    said = capsys.readouterr()
    assert message in said.err
    assert said.err.count("\n") == 1
    assert said.out == ""
    assert [path.name for path in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["train", "docs.jsonl"], "required: -o"),
        (["train", "docs.jsonl", "-o", "-"], "a model is a plain file, but -o is -"),
        (["train", "docs.jsonl", "-o", "m.lt.gz"], "a model is a plain file"),
        (["train", "docs.jsonl", "-o", "no/m.lt"], "there is no folder no"),
        (["train", "docs.jsonl", "-o", "."], "it is a folder"),
        (["train", "-", "-o", "m.lt"], "standard input has no suffix"),
        (["train", "docs.jsonl", "-o", "m.lt", "--holdout", "1"], "--holdout must be above 0"),
        (["predict", "MODEL", "--top-k", "0"], "--top-k must be at least 1, but is 0"),
        (["predict", "MODEL", "--chunk", "0"], "--chunk must be at least 1, but is 0"),
        (["predict", "MODEL", "--x", "X.npz"], "trained on texts, but data has rows of numbers"),
        (["predict", "MODEL", "--format", "xmc"], "trained on texts, but data has rows of numbers"),
        (["evaluate", "MODEL", "-"], "standard input has no suffix"),
    ],
)
def test_wrong_usage_is_one_sentence_and_code_2(arguments, message, model, capsys) -> None:
    assert main([model if word == "MODEL" else word for word in arguments]) == 2
    said = capsys.readouterr().err
    assert message in said
    assert "Traceback" not in said


def test_options_of_words_are_refused_for_matrices(matrices, tmp_path, capsys) -> None:
    arguments = ["train", *matrices, "-o", str(tmp_path / "made.lt"), "--min-df", "2"]
    assert main(arguments) == 2
    assert "--min-df is about words, but data has rows of numbers" in capsys.readouterr().err


def test_training_to_a_full_disk_says_so(jsonl) -> None:
    done = command("train", jsonl, "-o", "/dev/full", stdout=subprocess.PIPE)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "labeltree: /dev/full: No space left on device\n"


def test_training_reads_a_pipe_and_draws_no_bar_in_it(jsonl, tmp_path) -> None:
    out = str(tmp_path / "made.lt")
    with Path(jsonl).open() as stream:
        done = command(
            *["train", "-", "--format", "jsonl", "-o", out], stdin=stream, stdout=subprocess.PIPE
        )
    assert done.returncode == 0
    assert done.stderr == ""
    assert "\x1b" not in done.stdout
    assert "\r" not in done.stdout


# labeltree predict ------------------------------------------------------------------------------


def test_predict_answers_as_the_library(model, tmp_path, capfd) -> None:
    questions = ["tea", "", "kohlrabi", "rye bread"]
    lines = file_with(tmp_path, "\n".join(questions), "texts.txt")
    expected = lt.load(model).tag(questions, top_k=2)
    arguments = ["predict", model, lines, "--top-k", "2", "--chunk", "3"]
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


def test_a_tag_with_a_comma_comes_back_whole(model, tmp_path, capfd) -> None:
    lines = file_with(tmp_path, "green tea\n", "texts.txt")
    assert main(["predict", model, lines, "--output-format", "csv"]) == 0
    assert "hot, wet" in [line[2] for line in csv.reader(capfd.readouterr().out.splitlines())]


def test_predict_reads_jsonl_and_csv(model, tmp_path, capfd) -> None:
    jsonl = file_with(tmp_path, '{"body": "tea"}\n', "texts.jsonl")
    table = file_with(tmp_path, "body,tags\ntea,\n", "texts.csv")
    assert main(["predict", model, jsonl, "--text", "body"]) == 0
    first = capfd.readouterr().out
    assert main(["predict", model, table, "--text", "body"]) == 0
    assert capfd.readouterr().out == first
    assert first.startswith("tea:")


def test_a_threshold_may_leave_a_line_empty(model, tmp_path, capfd) -> None:
    lines = file_with(tmp_path, "green tea\nkohlrabi\n", "texts.txt")
    assert main(["predict", model, lines, "--threshold", "0.6"]) == 0
    assert [bool(line) for line in capfd.readouterr().out.split("\n")] == [True, False, False]


def test_predict_answers_rows_of_numbers(matrices, tmp_path, capfd) -> None:
    out = str(tmp_path / "made.lt")
    assert main(["train", *matrices, "-o", out, "--no-holdout", "-q"]) == 0
    assert main(["predict", out, *matrices[:2], "--top-k", "1", "--chunk", "5"]) == 0
    labels = [line.partition(":")[0] for line in capfd.readouterr().out.splitlines()]
    assert labels == ["0", "1", "2"] * 8
    rows = file_with(tmp_path, "1 3 3\n 1:1\n", "rows.txt")
    assert main(["predict", out, rows, "--top-k", "1"]) == 0
    assert capfd.readouterr().out.startswith("1:")


def test_broken_json_is_named_and_no_file_is_left(model, tmp_path, capsys) -> None:
    data = file_with(tmp_path, "\n".join(BROKEN), "texts.jsonl")
    out = tmp_path / "tags.txt"
    assert main(["predict", model, data, "-o", str(out)]) == 1
    assert "texts.jsonl: line 17: broken JSON" in capsys.readouterr().err
    assert not out.exists()


def test_a_reader_that_has_seen_enough_is_no_error(model, tmp_path) -> None:
    lines = file_with(tmp_path, "tea\n" * 20_000, "texts.txt")
    words = [sys.executable, "-m", "labeltree.cli", "predict", model, lines]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 0


def test_answers_to_a_full_disk_end_in_one_sentence(model, tmp_path) -> None:
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


# labeltree evaluate -----------------------------------------------------------------------------


def test_evaluate_prints_the_metrics_of_the_library(model, jsonl, capsys) -> None:
    assert main(["evaluate", model, jsonl, "--json"]) == 0
    figures = json.loads(printed(capsys))
    texts, tags = [text for text, _ in ROWS], [tags for _, tags in ROWS]
    assert figures.pop("n_rows") == 40
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


def test_the_table_of_labels_counts_classes(tmp_path, capsys) -> None:
    lines = file_with(tmp_path, "tea\tdrink\nbread\tfood\nbread tea\tfood\n", "test.tsv")
    tagger = TextTagger().fit(["tea", "bread"] * 5, ["drink", "food"] * 5)
    tagger.save(tmp_path / "model.lt")
    report = tmp_path / "report.csv"
    assert main(["evaluate", str(tmp_path / "model.lt"), lines, "--per-label", str(report)]) == 0
    table = [line.split(",") for line in report.read_text().splitlines()[1:]]
    assert [line[:2] for line in table] == [["drink", "1"], ["food", "2"]]
    assert sum(int(line[2]) for line in table) == 3


def test_evaluate_draws_what_probabilities_mean(model, jsonl, tmp_path, capsys) -> None:
    pytest.importorskip("matplotlib")
    picture = tmp_path / "reliability.png"
    assert main(["evaluate", model, jsonl, "--plot", str(picture)]) == 0
    assert picture.stat().st_size > 0


def test_evaluate_refuses_data_of_the_other_kind(model, matrices, capsys) -> None:
    assert main(["evaluate", model, *matrices]) == 2
    assert "trained on texts, but data has rows of numbers" in capsys.readouterr().err


# labeltree explain ------------------------------------------------------------------------------


def test_explain_names_words(model, capsys) -> None:
    assert main(["explain", model, "a green tea", "--label", "tea"]) == 0
    said = printed(capsys)
    assert said.startswith("tea: probability ")
    assert "green tea" in said


def test_explain_gives_json_and_a_picture(model, tmp_path, capsys) -> None:
    pytest.importorskip("matplotlib")
    picture = tmp_path / "why.png"
    assert main(["explain", model, "rye", "--json", "--plot", str(picture)]) == 0
    assert json.loads(printed(capsys))["label"] == "rye"
    assert picture.exists()


def test_explain_refuses_an_unknown_label(model, capsys) -> None:
    assert main(["explain", model, "tea", "--label", "wine"]) == 1
    assert "label must be one of the 4 in classes_, but is 'wine'" in capsys.readouterr().err


# Readers ----------------------------------------------------------------------------------------


def test_csv_rows_without_tags_have_none(tmp_path) -> None:
    path = file_with(tmp_path, 'text,labels\n"a\nb",\n\nc,"x, y"\n', "docs.csv")
    assert list(read_csv(path, tags=("tags", "labels"))) == [("a\nb", []), ("c", ["x", "y"])]


def test_an_empty_tag_in_csv_is_refused(tmp_path) -> None:
    path = file_with(tmp_path, 'text,tags\na,"x,,y"\n', "docs.csv")
    with pytest.raises(ValueError, match=r"docs.csv: line 2: tags must not be empty"):
        list(read_csv(path))


def test_a_folder_takes_subjects_as_annif_writes_them(tmp_path) -> None:
    (tmp_path / "a.txt").write_text("green tea")
    (tmp_path / "a.tsv").write_text("<http://example.org/1>\ttea\n<http://example.org/2>\tgreen\n")
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "b.txt").write_text("bread")
    assert list(read_folder(tmp_path)) == [("green tea", ["tea", "green"]), ("bread", ["b"])]


def test_a_folder_without_texts_is_refused(tmp_path) -> None:
    with pytest.raises(ValueError, match=r"there are no .txt files"):
        list(read_folder(tmp_path))
