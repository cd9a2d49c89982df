"""The header and the example; these tests need a C compiler, but not the library."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
HEADER = ROOT / "c" / "labeltree.h"
FUNCTIONS = re.findall(r"\b(labeltree_\w+)\(", HEADER.read_text())


def check(language: str, standard: str, file: Path) -> None:
    """Let the compiler of the system read a file, with warnings as errors."""
    variable, name = ("CXX", "c++") if language == "c++" else ("CC", "cc")
    compiler = shutil.which(os.environ.get(variable, name))
    if compiler is None:
        pytest.skip(f"there is no compiler: {variable} is not set, and there is no {name}")
    options = [f"-std={standard}", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only"]
    command = [compiler, "-x", language, *options, str(file)]
    assert not subprocess.run(command, capture_output=True, text=True, check=False).stderr


def test_the_header_is_c99() -> None:
    check("c", "c99", HEADER)


def test_the_header_is_cplusplus() -> None:
    check("c++", "c++11", HEADER)


def test_the_example_is_c99() -> None:
    check("c", "c99", ROOT / "c" / "example.c")


def test_the_header_has_the_version_of_the_package() -> None:
    found = re.search(r'LABELTREE_VERSION "(.*)"', HEADER.read_text())
    assert found is not None
    assert f'\nversion = "{found[1]}"\n' in (ROOT / "pyproject.toml").read_text()


def test_the_page_names_each_function() -> None:
    page = (ROOT / "docs" / "how-to" / "c.md").read_text()
    assert len(FUNCTIONS) == 7
    assert not [name for name in FUNCTIONS if name not in page]
