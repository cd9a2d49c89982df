"""The program of c/example.c, and what the library exports."""

import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

from labeltree import PLTClassifier
from tests.c.library import LIBRARY, needs_library
from tests.c.test_header import FUNCTIONS, ROOT
from tests.storage.small_model import X, Y

pytestmark = needs_library
EXAMPLE = Path(LIBRARY).parent / "labeltree_example"


@pytest.fixture
def path(tmp_path) -> Path:
    PLTClassifier(n_jobs=1).fit(X, Y).save(tmp_path / "model.lt")
    return tmp_path / "model.lt"


def run(rows: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [str(EXAMPLE), *arguments]
    return subprocess.run(command, input=rows, capture_output=True, text=True, check=False)


def test_the_example_prints_names_and_probabilities(path) -> None:
    done = run("0:1\n1:0.5 2:2\n\n", str(path), "2")
    assert (done.returncode, done.stderr) == (0, "")
    clf = PLTClassifier(n_jobs=1).fit(X, Y)
    table = np.array([[1, 0, 0], [0, 0.5, 2], [0, 0, 0]], np.float32)
    labels, probabilities = clf.top_k(table, k=2)
    pairs = [
        [pair.rpartition(":") for pair in line.split("\t")] for line in done.stdout.splitlines()
    ]
    assert [[name for name, _, _ in row] for row in pairs] == clf.classes_[labels].tolist()
    assert np.array_equal(np.float32([[p for _, _, p in row] for row in pairs]), probabilities)


@pytest.mark.parametrize(
    ("row", "message"),
    [("tea\n", "a row must be feature:value pairs, but is tea"), ("9:1\n", "feature 9 is outside")],
)
def test_the_example_stops_at_a_bad_row(row, message, path) -> None:
    done = run(row, str(path))
    assert done.returncode == 1
    assert message in done.stderr


def test_the_example_says_why_a_file_does_not_open(tmp_path) -> None:
    done = run("", str(tmp_path / "none.lt"))
    assert (done.returncode, done.stderr) == (1, f"{tmp_path}/none.lt: No such file or directory\n")


def test_the_example_of_the_page_runs(path, tmp_path) -> None:
    (code,) = re.findall(
        r"```c\n(.*?)```", (ROOT / "docs" / "how-to" / "c.md").read_text(), flags=re.DOTALL
    )
    (tmp_path / "page.c").write_text(code)
    folder = Path(LIBRARY).resolve().parent
    options = ["-std=c99", "-Wall", "-Werror", f"-I{ROOT / 'c'}", f"-L{folder}", "-llabeltree"]
    compile_it = ["cc", "page.c", *options, f"-Wl,-rpath,{folder}", "-o", "page"]
    subprocess.run(compile_it, cwd=tmp_path, check=True)
    done = subprocess.run(["./page"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert [line.split()[0] for line in done.stdout.splitlines()] == ["tea", "milk"]


def test_the_library_exports_the_functions_of_the_header_alone() -> None:
    command = ["nm", "-D", "--defined-only", "--format=posix", LIBRARY]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert sorted(line.split()[0] for line in listed.splitlines()) == sorted(FUNCTIONS)
