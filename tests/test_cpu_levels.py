"""Loops are compiled for several levels of instructions, and all of them give the same bits."""

import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
LEVELS = ["v2", "v3", "v4"]


def run(level: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"LABELTREE_CPU": level}
    command = [sys.executable, *arguments]
    return subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )


@cache
def highest() -> str:
    found = run("", "-c", "from labeltree import _core; print(_core.cpu_level())")
    return found.stdout.strip()


@cache
def results(level: str) -> dict[str, str]:
    if level > highest():
        pytest.skip(f"this processor has no {level}")
    done = run(level, "-m", "tests.cpu_results")
    assert done.returncode == 0, done.stderr
    found: dict[str, str] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("level", LEVELS)
def test_the_variable_chooses_the_level(level) -> None:
    assert results(level)["level"] == level


@pytest.mark.parametrize("level", LEVELS[1:])
def test_every_level_gives_the_same_bits(level) -> None:
    assert results(level) == results("v2") | {"level": level}


def test_an_unknown_level_is_refused() -> None:
    failed = run("v5", "-c", "import labeltree")
    expected = "ImportError: LABELTREE_CPU must be v2, v3 or v4, but is v5"
    assert failed.stderr.splitlines()[-1] == expected


def test_a_level_that_the_processor_lacks_is_refused() -> None:
    if highest() == "v4":
        pytest.skip("this processor has every level")
    failed = run("v4", "-c", "import labeltree")
    expected = f"LABELTREE_CPU must be at most {highest()} on this processor, but is v4"
    assert failed.stderr.splitlines()[-1] == f"ImportError: {expected}"


def test_an_empty_variable_chooses_the_highest_level() -> None:
    assert highest() in LEVELS
