import doctest
import operator
import re
import runpy
import shlex
import sys
from pathlib import Path

import pytest

import labeltree
from labeltree import cli, trees
from labeltree.data import write_npz, write_xmc

DOCS = Path(__file__).parent.parent / "docs"
PAGES = [
    "training.md",
    "model-file.md",
    "calibration.md",
    "queries.md",
    "text.md",
    "coming-from.md",
    "online.md",
]


@pytest.mark.parametrize("page", PAGES)
def test_the_examples_of_a_page_run_one_after_the_other(page, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    examples = re.findall(r"```python\n(.*?)```", (DOCS / page).read_text(), flags=re.DOTALL)
    exec(compile("\n".join(examples), page, "exec"), {})
    assert {path.name for path in tmp_path.iterdir()} <= {"model.lt"}


def test_the_commands_of_the_guide_are_understood() -> None:
    lines = re.findall(r"^\$ (.*)$", (DOCS / "guide.md").read_text(), flags=re.MULTILINE)
    commands = [part for line in lines for part in line.split("|") if "labeltree" in part]
    assert len(commands) > 5
    for command in commands:
        arguments = shlex.split(command)
        assert arguments[0] == "labeltree"
        assert callable(cli._parser().parse_args(arguments[1:]).run)


def test_the_commands_for_those_who_come_from_elsewhere_run(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_xmc("train.txt", [[0.5, 0], [0, 1]], [[0, 1], [1]])
    Path("data.svm").write_text("0 1:1\n1 2:1\n")
    Path("train.ft").write_text("__label__tea green tea\n")
    for folder in ("napkinxc-model", "omikuji-model", "pecos-model"):
        Path(folder).mkdir()
    trees.to_napkinxc(trees.star(2), "napkinxc-model/tree.txt")
    Path("omikuji-model/tree0.cbor").write_bytes(b"\xa1\x64Leaf\xa1\x66labels\x82\x00\x01")
    Path("pecos-model/config.json").write_text('{"len": 1}')
    write_npz("pecos-model/C0.npz", [[1], [1]])
    lines = re.findall(r"^\$ (.*)$", (DOCS / "coming-from.md").read_text(), flags=re.MULTILINE)
    assert len(lines) > 7
    for line in lines:
        assert cli.main(shlex.split(line)[1:]) == 0, line


@pytest.mark.parametrize("page", ["coming-from.md", "annif.md"])
def test_commands_and_names_in_running_text_are_known(page) -> None:
    text = (DOCS / page).read_text()
    for command in re.findall(r"`labeltree ([a-z]+ [^`]*)`", text):
        assert callable(cli._parser().parse_args(shlex.split(command.partition("<")[0])).run)
    for name in re.findall(r"\blt\.([A-Za-z_][\w.]*\w)", text):
        assert callable(operator.attrgetter(name)(labeltree)) or name == "metrics"


class AnyDecimals(doctest.OutputChecker):
    """Takes other decimals for the same: they may differ by machine, words and order may not."""

    def check_output(self, want: str, got: str, optionflags: int) -> bool:
        masked = [re.sub(r"[+-]?\d+\.\d+", "#", text) for text in (want, got)]
        return super().check_output(*masked, optionflags | doctest.NORMALIZE_WHITESPACE)


@pytest.mark.parametrize("page", ["explain.md"])
def test_the_sessions_of_a_page_print_what_it_says(page) -> None:
    blocks = re.findall(r"```pycon\n(.*?)```", (DOCS / page).read_text(), flags=re.DOTALL)
    session = "\n".join(block.replace("\n\n", "\n<BLANKLINE>\n") for block in blocks)
    example = doctest.DocTestParser().get_doctest(session, {}, page, page, 0)
    failures: list[str] = []
    doctest.DocTestRunner(checker=AnyDecimals()).run(example, out=failures.append)
    assert failures == []


def test_the_example_that_calibrates_lowers_the_calibration_error(capsys) -> None:
    runpy.run_path(str(DOCS.parent / "examples" / "calibrate.py"), run_name="__main__")
    printed = capsys.readouterr().out.splitlines()
    before, after = (float(line.split()[-1]) for line in printed[:2])
    assert after < before


def test_the_example_that_explains_runs(capsys, tmp_path, monkeypatch) -> None:
    picture = tmp_path / "why.png"
    options = ["--label", "numpy", "--picture", str(picture)]
    monkeypatch.setattr(sys, "argv", ["explain.py", "sort an array", *options])
    runpy.run_path(str(DOCS.parent / "examples" / "explain.py"), run_name="__main__")
    assert capsys.readouterr().out.splitlines()[0].startswith("numpy: probability ")
    assert picture.exists()
