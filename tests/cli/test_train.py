"""The command train; pipes and full disks in a separate process."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

import labeltree as lt
from labeltree import PLTClassifier, TextTagger
from labeltree.cli import main
from tests.cli.text_files import BROKEN, command, file_with, printed


def test_train_writes_a_tagger_and_a_report(jsonl, tmp_path, capsys) -> None:
    out = tmp_path / "made.lt"
    assert main(["train", jsonl, "-o", str(out), "--n-jobs", "1"]) == 0
    lines = dict(line.split(None, 1) for line in printed(capsys).splitlines())
    assert lines["rows"] == "36 training, 2 evaluation"
    assert lines["labels"].startswith("4, ")
    assert {"P@1", "ECE@5", "cost", "written", "time"} <= lines.keys()
    assert lt.load(out).tag(["tea"], k=1)[0][0][0] == "tea"


def test_train_without_holdout_equals_fit(jsonl, model, tmp_path, capsys) -> None:
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


def without_classifier(tagger) -> dict[str, object]:
    """Return the parameters, with the classifier as text."""
    return {**tagger.get_params(deep=False), "classifier": repr(tagger.classifier)}


def test_train_accepts_estimator_parameters(jsonl, tmp_path, capsys) -> None:
    options = (
        "--ngram-range 1 1 --min-df 2 --C 2 --max-iter 9 --tree kmeans --n-trees 2 --loss logistic"
    )
    out = str(tmp_path / "made.lt")
    assert main(["train", jsonl, "-o", out, *options.split(), "--no-sublinear-tf"]) == 0
    found = without_classifier(lt.load(out))
    expected = {
        "ngram_range": (1, 1),
        "min_df": 2,
        "C": 2.0,
        "max_iter": 9,
        "tree": "kmeans",
        "n_trees": 2,
    }
    wanted = TextTagger(loss="logistic", sublinear_tf=False, **expected)
    assert found == without_classifier(wanted)


def test_effort_decides_what_is_not_given(jsonl, tmp_path, capsys) -> None:
    out = str(tmp_path / "made.lt")
    assert main(["train", jsonl, "-o", out, "--effort", "high", "--n-trees", "2"]) == 0
    assert "settings       auto, auto; C=1; max_iter=8\n" in capsys.readouterr().out
    assert lt.load(out).classifier.effort == "high"


@pytest.mark.parametrize(("text", "value"), [("auto", "auto"), ("none", None), ("1.5", 1.5)])
def test_interactions_are_auto_none_or_a_number(text, value, jsonl, tmp_path, capsys) -> None:
    out = str(tmp_path / "made.lt")
    assert main(["train", jsonl, "-o", out, "--no-holdout", "--interactions", text]) == 0
    assert lt.load(out).classifier_.interactions == value


def test_quantized_models_are_smaller_and_rank_the_same(jsonl, tmp_path, capsys) -> None:
    plain, small = tmp_path / "plain.lt", tmp_path / "small.lt"
    assert main(["train", jsonl, "-q", "-o", str(plain)]) == 0
    assert main(["train", jsonl, "-q", "-o", str(small), "--quantize"]) == 0
    assert lt.load(small).model_.n_bytes < lt.load(plain).model_.n_bytes
    assert lt.load(small).tag(["tea"], k=1)[0][0][0] == "tea"


def test_train_on_matrices_writes_a_classifier(matrices, tmp_path, capsys) -> None:
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
    assert printed(capsys).startswith("rows           2 training, 0 evaluation\n")


def test_labels_only_in_held_out_rows_count_as_misses(tmp_path, capsys) -> None:
    lines = "".join(f"tea number{i}\ttag{i}\n" for i in range(10))
    data = file_with(tmp_path, lines, "docs.tsv")
    assert main(["train", data, "-o", str(tmp_path / "made.lt"), "--holdout", "0.5"]) == 0
    assert "P@1 / 3 / 5    0.0 % / 0.0 % / 0.0 %" in printed(capsys)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("docs.jsonl", b"", "docs.jsonl: the data has no rows"),
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
def test_bad_data_is_reported_in_one_sentence_and_nothing_is_written(
    name, content, message, tmp_path, capsys
) -> None:
    (tmp_path / name).write_bytes(content)
    out = tmp_path / "made.lt"
    assert main(["train", str(tmp_path / name), "-o", str(out)]) == 1
    output = capsys.readouterr()
    assert message in output.err
    assert [line.startswith("labeltree: ") for line in output.err.splitlines()].count(True) == 1
    assert output.out == ""
    assert [path.name for path in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["train", "docs.jsonl"], "required: -o"),
        (
            ["train", "docs.jsonl", "-o", "-"],
            "a model is written to a plain file such as model.lt, but -o is -",
        ),
        (["train", "docs.jsonl", "-o", "m.lt.gz"], "a model is written to a plain file"),
        (["train", "docs.jsonl", "-o", "no/m.lt"], "folder no does not exist"),
        (["train", "docs.jsonl", "-o", "."], "is a folder, but a model is a single file"),
        (["train", "-", "-o", "m.lt"], "standard input has no suffix"),
        (["train", "docs.jsonl", "-o", "m.lt", "--holdout", "1"], "--holdout must be above 0"),
        (
            ["train", "docs.jsonl", "-o", "m.lt", "--interactions", "many"],
            "--interactions: must be auto, none or a number from 0, but is many",
        ),
        (["predict", "MODEL", "--k", "0"], "--k must be at least 1, but is 0"),
        (["predict", "MODEL", "--chunk", "0"], "--chunk must be at least 1, but is 0"),
        (
            ["predict", "MODEL", "--x", "X.npz"],
            "trained on texts, but the data has numeric features",
        ),
        (
            ["predict", "MODEL", "--format", "xmc"],
            "trained on texts, but the data has numeric features",
        ),
        (["predict", "MODEL", "-o", "no/x.csv"], "no/x.csv: folder no does not exist"),
        (["evaluate", "MODEL", "-"], "standard input has no suffix"),
        (["evaluate", "MODEL", "a.tsv", "--per-label", "no/x.csv"], "folder no does not exist"),
    ],
)
def test_wrong_usage_is_one_sentence_and_code_2(arguments, message, model, capsys) -> None:
    assert main([model if word == "MODEL" else word for word in arguments]) == 2
    output = capsys.readouterr().err
    assert message in output
    assert "Traceback" not in output


def test_text_options_are_refused_for_matrices(matrices, tmp_path, capsys) -> None:
    arguments = ["train", *matrices, "-o", str(tmp_path / "made.lt"), "--min-df", "2"]
    assert main(arguments) == 2
    assert "--min-df applies to texts, but the data has numeric features" in capsys.readouterr().err


def test_training_to_a_full_disk_is_reported(jsonl) -> None:
    done = command("train", jsonl, "-o", "/dev/full", stdout=subprocess.PIPE)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.endswith("labeltree: /dev/full: No space left on device\n")


def test_training_reads_a_pipe_without_a_progress_bar(jsonl, tmp_path) -> None:
    out = str(tmp_path / "made.lt")
    with Path(jsonl).open() as stream:
        done = command(
            *["train", "-", "--format", "jsonl", "-o", out], stdin=stream, stdout=subprocess.PIPE
        )
    assert done.returncode == 0
    stages = [line.partition(": ")[0] for line in done.stderr.splitlines()]
    expected = ["reading", "making features", "building trees", "training", "calibrating"]
    assert stages == [*expected, "writing", "evaluating"]
    assert "\x1b" not in done.stdout + done.stderr
    assert "\r" not in done.stdout + done.stderr


# Several files ------------------------------------------------------------------------------------


@pytest.fixture
def halves(jsonl, tmp_path) -> list[str]:
    lines = Path(jsonl).read_text().splitlines(keepends=True)
    paths = [tmp_path / "half-0.jsonl", tmp_path / "half-1.jsonl"]
    for path, half in zip(paths, (lines[:20], lines[20:]), strict=True):
        path.write_text("".join(half))
    return [str(path) for path in paths]


def test_several_files_train_the_model_of_one_file(jsonl, halves, tmp_path, capsys) -> None:
    one, other, third = (str(tmp_path / f"{name}.lt") for name in "abc")
    assert main(["train", jsonl, "-o", one, "--no-holdout", "-q"]) == 0
    assert main(["train", *halves, "-o", other]) == 0
    lines = dict(line.split(None, 1) for line in printed(capsys).splitlines())
    assert lines["rows"] == "40 training, 0 evaluation"
    assert main(["train", str(tmp_path / "half-*.jsonl"), "-o", third, "-q"]) == 0
    assert Path(one).read_bytes() == Path(other).read_bytes() == Path(third).read_bytes()


@pytest.mark.parametrize("option", ["--holdout=0.2", "--format=jsonl", "--hierarchy=tree.tsv"])
def test_options_for_one_file_are_refused_for_several(option, halves, tmp_path, capsys) -> None:
    assert main(["train", *halves, "-o", str(tmp_path / "a.lt"), option]) == 2
    assert "is for one file" in capsys.readouterr().err


def test_a_model_does_not_replace_a_file_that_matches_a_pattern(halves, tmp_path, capsys) -> None:
    before = Path(halves[0]).read_bytes()
    assert main(["train", str(tmp_path / "half-*"), "-o", halves[0]]) == 2
    assert "is both input" in capsys.readouterr().err
    assert Path(halves[0]).read_bytes() == before
