"""Commands never write to a file that they read; run from the shell."""

from __future__ import annotations

import argparse
import os
import subprocess
from pathlib import Path

import pytest

from labeltree import LabelTree, cli
from labeltree.cli import main
from labeltree.cli.outputs import INPUTS, OUTPUTS
from tests.cli.text_files import ROWS, command, file_with

COMMANDS = [
    "train DATA -o DATA",
    "train TSV -o TSV",
    "train DATA -o out.lt --hierarchy TREE --checkpoint-dir c -o TREE",
    "train --x X --y Y -o Y",
    "tune DATA -o DATA",
    "tune DATA -o out.lt --trials DATA",
    "predict MODEL DATA -o DATA",
    "predict MODEL DATA -o MODEL",
    "predict MODEL FOLDER -o FOLDER/a.txt",
    "predict MODEL DATA --ancestors TREE -o TREE",
    "evaluate MODEL DATA --per-label DATA",
    "evaluate MODEL DATA --per-label MODEL",
    "evaluate MODEL DATA --plot MODEL",
    "explain MODEL tea --plot MODEL",
    "update MODEL DATA -o DATA",
    "stream DATA DATA",
    "plan DATA -o DATA",
    "plan DATA --plot DATA",
    "plan DATA --compare-tree mine=TREE -o TREE",
    "tree DATA -o DATA",
    "tree DATA --plot DATA",
    "convert DATA -o DATA",
    "convert --x X --y Y --x-out out.npz --y-out X",
    "convert FOLDER -o FOLDER/a.key --to jsonl",
]


@pytest.fixture
def paths(model, jsonl, matrices, tmp_path: Path) -> dict[str, str]:
    (tmp_path / "folder").mkdir()
    file_with(tmp_path / "folder", "green tea", "a.txt")
    file_with(tmp_path / "folder", "tea", "a.key")
    LabelTree.from_nested([["tea", "hot, wet"], ["bread", "rye"]]).save(tmp_path / "tree.json")
    return {
        "MODEL": model,
        "DATA": jsonl,
        "TSV": file_with(tmp_path, "tea\tdrink\n", "docs.tsv"),
        "X": matrices[1],
        "Y": matrices[3],
        "FOLDER": str(tmp_path / "folder"),
        "TREE": str(tmp_path / "tree.json"),
    }


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def filled(line: str, paths: dict[str, str]) -> list[str]:
    def word(text: str) -> str:
        name, equals, rest = text.partition("=")
        if equals:
            return f"{name}={word(rest)}"
        first, slash, rest = text.partition("/")
        return paths.get(first, first) + slash + rest

    return [word(text) for text in line.split()]


@pytest.mark.parametrize("line", COMMANDS)
def test_a_file_that_is_read_is_never_written(line, paths, tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    before = contents(tmp_path)
    assert main(filled(line, paths)) == 2
    assert "is both input and output; choose another output file" in capsys.readouterr().err
    assert contents(tmp_path) == before


@pytest.mark.parametrize("link", [os.link, os.symlink])
def test_a_link_to_the_input_is_the_input(link, jsonl, model, tmp_path) -> None:
    other = str(tmp_path / "other.jsonl")
    link(jsonl, other)
    before = Path(jsonl).read_bytes()
    done = command("predict", model, jsonl, "-o", other, stdout=subprocess.PIPE)
    assert done.returncode == 2
    assert f"{other} is both input (as {jsonl}) and output" in done.stderr
    assert Path(jsonl).read_bytes() == before


def test_a_file_on_standard_input_is_an_input(model, tmp_path) -> None:
    lines = file_with(tmp_path, "green tea\n", "texts.txt")
    with Path(lines).open() as stream:
        done = command("predict", model, "-o", lines, stdin=stream, stdout=subprocess.PIPE)
    assert done.returncode == 2
    assert "is both input (as standard input) and output" in done.stderr
    assert Path(lines).read_text() == "green tea\n"


def test_standard_output_appended_to_the_input_is_refused(model, tmp_path) -> None:
    lines = file_with(tmp_path, "green tea\n", "texts.txt")
    with Path(lines).open("a") as stream:
        done = command("predict", model, lines, stdout=stream)
    assert done.returncode == 2
    assert "standard output is both input" in done.stderr
    assert Path(lines).read_text() == "green tea\n"


def test_devices_are_not_files(model, tmp_path) -> None:
    done = command(
        *["predict", model, "/dev/null", "-o", "/dev/null"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
    )
    assert "both input and output" not in done.stderr


def test_other_files_of_the_same_folder_can_be_written(model, jsonl, tmp_path, capsys) -> None:
    file_with(tmp_path, "old", "tags.txt")
    assert main(["predict", model, jsonl, "-o", str(tmp_path / "tags.txt")]) == 0
    assert len((tmp_path / "tags.txt").read_text().splitlines()) == len(ROWS)


def test_plots_can_be_saved_next_to_the_data(jsonl, tmp_path, capsys) -> None:
    pytest.importorskip("matplotlib")
    assert main(["tree", jsonl, "--plot", str(tmp_path)]) == 0


@pytest.mark.parametrize("options", [[], ["-o", "MODEL"]])
def test_update_replaces_its_own_model(options, model, jsonl, capsys) -> None:
    before = Path(model).read_bytes()
    words = [model if word == "MODEL" else word for word in options]
    assert main(["update", model, jsonl, *words]) == 0
    assert Path(model).read_bytes() != before


def test_every_option_that_names_a_file_is_checked() -> None:
    commands = next(
        action
        for action in cli.make_parser()._actions
        if isinstance(action, argparse._SubParsersAction)
    )
    for name, parser in commands.choices.items():
        for action in parser._actions:
            if str(action.metavar).endswith(("FILE", ".npz")):
                assert action.dest in (*INPUTS, *OUTPUTS), f"{name}: {action.dest}"
