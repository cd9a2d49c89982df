"""Problems with data, models and disks, in every command that can meet them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from labeltree import TextTagger
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
        "plan": ["plan", data, "--json", str(tmp_path / "out.json")],
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
        ["plan", "DATA", "--json", "/dev/full"],
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
        assert done.stderr == ""
        assert "\x1b" not in done.stdout
