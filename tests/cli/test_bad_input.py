"""Problems with data, models and disks, in every command that can meet them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from labeltree import TextTagger, load
from labeltree.cli import main
from tests.cli.text_files import file_with, jsonl_of, saved_tagger

ROWS = [("green tea", ["tea"]), ("rye bread", ["bread", "rye"]), ("", [])] * 8
BROKEN = [*['{"text": "tea", "tags": ["a"]}'] * 16, '{"text": "tea", "tags": ["a"}']


@pytest.fixture
def jsonl(tmp_path: Path) -> str:
    return jsonl_of(tmp_path, ROWS)


@pytest.fixture
def model(tmp_path: Path) -> str:
    return saved_tagger(tmp_path, ROWS)


def command(*arguments: str, **options) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, "-m", "labeltree.cli", *arguments]
    return subprocess.run(words, text=True, check=False, stderr=subprocess.PIPE, **options)


READERS = ["train", "tune", "evaluate", "predict", "plan", "tree"]


def arguments_for(name: str, data: str, model: str, tmp_path: Path) -> list[str]:
    out = str(tmp_path / "out.lt")
    return {
        "train": ["train", data, "-o", out],
        "tune": ["tune", data, "-o", out, "--n-settings", "2"],
        "evaluate": ["evaluate", model, data],
        "predict": ["predict", model, data, "-o", str(tmp_path / "out.txt")],
        "plan": ["plan", data, "-o", str(tmp_path / "out.json")],
        "tree": ["tree", data, "-o", str(tmp_path / "out.json")],
    }[name]


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "docs.jsonl: the data has no rows"),
        ("\n".join(BROKEN).encode(), "docs.jsonl: line 17: broken JSON: Expecting ','"),
        ('{"text": "grün", "tags": ["a"]}'.encode("latin-1"), "line 1: not UTF-8: byte 0xfc"),
        ("\ufeffx".encode("utf-16"), "line 1: not UTF-8: byte 0xff at position 0; convert"),
    ],
    ids=["empty", "broken JSON", "latin-1", "utf-16"],
)
def test_every_command_names_the_problem_and_writes_nothing(
    name, content, message, model, tmp_path, capsys
) -> None:
    (tmp_path / "docs.jsonl").write_bytes(content)
    before = sorted(tmp_path.iterdir())
    assert main(arguments_for(name, str(tmp_path / "docs.jsonl"), model, tmp_path)) == 1
    stderr = capsys.readouterr().err
    assert message in stderr
    assert stderr.count("\n") == 1
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize("name", ["train", "tune", "plan"])
def test_texts_without_words_are_refused(name, model, tmp_path, capsys) -> None:
    data = file_with(tmp_path, '{"text": "- a ?", "tags": ["x"]}\n' * 20, "docs.jsonl")
    assert main(arguments_for(name, data, model, tmp_path)) == 1
    assert "no text has a word" in capsys.readouterr().err


def test_errors_name_the_option_and_the_remedy(tmp_path, capsys) -> None:
    data = file_with(tmp_path, "tea\ta\nbread\tb\n" * 2, "docs.tsv")
    out = str(tmp_path / "out.lt")
    assert main(["train", data, "-o", out, "--min-df", "9"]) == 1
    assert "--min-df is 9; lower it" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.jsonl", '{"body": "a", "tags": []}', '"body", "tags"; set --text-field to one of them'),
        ("a.jsonl", '{"text": "a", "topic": []}', "set --label-field to one of them"),
        ("a.csv", "body,tags\na,x\n", "set --text-field to one of them"),
        ("a.csv", "text,topic\na,x\n", "set --label-field to one of them"),
        ("a.csv", "text^tags\na^x\n", "set --delimiter if it is none of , ; tab |"),
        ("a.csv", "text,tags\na,x,y\n", "set --delimiter if it is not ','"),
        ("a.csv", 'text,tags\na,"x,,y"\n', "set --separator if it is not ','"),
        ("a.tsv", "a x\n", "set --header if the first line names the fields, or use --format csv"),
        ("a.txt", "green tea\n", "add --format jsonl, tsv, csv or fasttext"),
        ("a.json", '[{"text": "a"}]', "found a list; write one object per line"),
    ],
)
def test_errors_of_input_name_the_option_that_helps(
    name, content, message, tmp_path, capsys
) -> None:
    assert main(["train", file_with(tmp_path, content, name), "-o", str(tmp_path / "m.lt")]) == 1
    stderr = capsys.readouterr().err
    assert message in stderr
    assert stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["a.jsonl", "--delimiter", ";"], "--delimiter applies to csv, but the format is jsonl"),
        (["a.jsonl", "--delimiter", ";;"], "must be one character or tab, but is ';;'"),
        (["a.csv", "--no-header"], "--no-header applies to tsv, xmc, but the format is csv"),
        (["a.jsonl", "--header"], "--header applies to tsv, csv, but the format is jsonl"),
        (["a.tsv", "--header", "--no-header"], "not allowed with argument --header"),
    ],
)
def test_options_of_other_formats_are_refused(options, message, tmp_path, capsys) -> None:
    assert main(["train", *options, "-o", str(tmp_path / "m.lt")]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "content", "options"),
    [
        ("a.csv", "id;text;label\n1;green tea;x\n2;rye;y\n", []),
        ("a.csv", "id^text^label\n1^green tea^x\n2^rye^y\n", ["--delimiter", "^"]),
        ("a.txt", "text\tlabel\ngreen tea\tx\nrye\ty\n", ["--delimiter", "tab"]),
        ("a.tsv", "id\ttext\tcategory\n1\tgreen tea\tx\n2\trye\ty\n", []),
        (
            "a.tsv",
            "body\ttopic\ngreen tea\tx\nrye\ty\n",
            ["--header", "--text-field", "body", "--label-field", "topic"],
        ),
        ("a.jsonl", '{"text": "green tea", "tag": "x"}\n{"text": "rye", "tag": "y"}\n', []),
        ("a.txt", "__label__x green tea\n__label__y rye\n", []),
    ],
)
def test_files_as_people_have_them_train_a_model(name, content, options, tmp_path) -> None:
    out = tmp_path / "m.lt"
    assert main(["train", file_with(tmp_path, content, name), *options, "-q", "-o", str(out)]) == 0
    assert load(out).classes_.tolist() == ["x", "y"]


def test_integer_tags_are_read(tmp_path) -> None:
    lines = '{"text": "tea", "labels": [1, 20]}\n{"text": "rye", "labels": 3}\n'
    data, out = file_with(tmp_path, lines, "a.jsonl"), tmp_path / "m.lt"
    done = command("train", data, "-q", "-o", str(out), stdout=subprocess.PIPE)
    assert (done.returncode, done.stderr) == (0, "")
    assert load(out).classes_.tolist() == ["1", "20", "3"]


def test_an_empty_pipe_gives_empty_output(model) -> None:
    done = command("predict", model, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("name", ["train", "tune", "evaluate", "tree"])
def test_one_label_is_enough_for_every_command(name, tmp_path, capsys) -> None:
    data = file_with(tmp_path, '{"text": "green tea", "tags": ["x"]}\n' * 20, "docs.jsonl")
    model = str(tmp_path / "one.lt")
    TextTagger().fit(["green tea"], [["x"]]).save(model)
    assert main(arguments_for(name, data, model, tmp_path)) == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ["predict", "MODEL", "DATA", "-o", "/dev/full"],
        ["evaluate", "MODEL", "DATA", "--per-label", "/dev/full"],
    ],
)
def test_a_full_disk_is_named(arguments, model, jsonl, capsys) -> None:
    words = [{"MODEL": model, "DATA": jsonl}.get(word, word) for word in arguments]
    assert main(words) == 1
    assert capsys.readouterr().err == "labeltree: /dev/full: No space left on device\n"


def test_a_full_disk_keeps_the_old_model(jsonl, tmp_path) -> None:
    out = tmp_path / "out.lt"
    out.write_text("old")
    limit = ["bash", "-c", 'ulimit -f 1 && exec "$@"', "bash", sys.executable]
    words = [*limit, "-m", "labeltree.cli", "train", jsonl, "-q", "-o", str(out)]
    done = subprocess.run(words, text=True, check=False, capture_output=True)
    assert done.returncode == 1
    assert done.stderr == f"labeltree: {out}: File too large\n"
    assert out.read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["docs.jsonl", "out.lt"]


@pytest.mark.parametrize("name", ["predict", "evaluate", "explain", "inspect"])
def test_a_model_of_another_version_is_refused_by_every_command(name, model, jsonl, capsys) -> None:
    content = bytearray(Path(model).read_bytes())
    content[8] = 99
    Path(model).write_bytes(content)
    rest = {"predict": [jsonl], "evaluate": [jsonl], "explain": ["tea"], "inspect": []}[name]
    assert main([name, model, *rest]) == 1
    assert "it has format 99; this release reads format 1. Upgrade" in capsys.readouterr().err


def test_without_a_terminal_there_is_no_prompt_and_no_progress_bar(jsonl, tmp_path) -> None:
    for name in ("train", "tune"):
        words = [name, jsonl, "-o", str(tmp_path / "out.lt"), "--n-jobs", "1"]
        words += ["--n-settings", "2"] if name == "tune" else []
        done = command(
            *words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, start_new_session=True
        )
        assert done.returncode == 0
        assert "\x1b" not in done.stdout + done.stderr
        assert "\r" not in done.stdout + done.stderr
