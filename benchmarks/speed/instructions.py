"""Count the instructions of every kernel on a small fixed input with callgrind.

    python -m benchmarks.speed instructions             # print the counts
    python -m benchmarks.speed instructions --compare   # fail if a kernel needs over 2 % more
    python -m benchmarks.speed instructions --update    # write the counts and their commit

Counts do not depend on the load of the machine. Counting needs valgrind and a C compiler.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from benchmarks.generator import Generator
from benchmarks.machine import ROOT, machine
from benchmarks.speed.kernels import build
from labeltree import PLTClassifier, cost, load, trees
from labeltree.data import read_xmc, write_xmc

BASELINE = ROOT / "benchmarks" / "results" / "instructions.json"
#: Tolerated growth of a kernel. Counts of the same build differ by up to 0.15 %.
TOLERANCE = 0.02
N_ROWS, N_LABELS = 1000, 300
N_ONLINE = 200
N_SINGLE = 20
_MARKS = Path(__file__).with_name("marks.c")

Kernel = tuple[str, Callable[[], Any], Callable[[Any], bool]]


class NotCountedError(RuntimeError):
    """Instructions cannot be counted; the message says what is missing."""


def kernels(folder: Path) -> Iterator[Kernel]:
    """Yield name, kernel and a check of its result; inputs are prepared beforehand."""
    X, Y = Generator(N_LABELS, n_features=4096).rows(N_ROWS)
    path = folder / "rows.txt"
    write_xmc(path, X, Y)
    counts = build.generate(0, 20_000)
    tree = trees.cheapest(Y)
    price = cost.training_cost(tree, Y)
    yield "parse", lambda: read_xmc(path), lambda read: read[0].nnz == X.nnz
    yield "price", lambda: cost.training_cost(tree, Y), lambda found: found == price
    yield "huffman", lambda: trees.huffman(counts), lambda found: found.n_labels == 20_000
    yield "cheapest", lambda: trees.cheapest(Y), lambda found: cost.training_cost(found, Y) == price
    yield "kmeans", lambda: trees.kmeans(X, Y, n_jobs=1), lambda found: found.n_labels == N_LABELS
    yield "blend", lambda: trees.blend(X, Y, n_jobs=1), lambda found: found.n_labels == N_LABELS
    model = PLTClassifier(tree=tree, n_jobs=1)
    yield "train", lambda: model.fit(X, Y), lambda found: found.training_cost_ == price
    few = X[:N_ONLINE], Y.select(slice(0, N_ONLINE))
    yield (
        "partial_fit",
        lambda: PLTClassifier(n_jobs=1).partial_fit(*few),
        lambda found: len(found.classes_) == N_LABELS,
    )
    yield from _prediction(model, X)
    model.save(folder / "model.lt")
    yield "load", lambda: load(folder / "model.lt"), lambda found: found.n_features_in_ == 4096


def _prediction(model: PLTClassifier, X: Any) -> Iterator[Kernel]:
    first = model.top_k(X[:N_SINGLE], 5)[0].tolist()
    rows = [X[i : i + 1] for i in range(N_SINGLE)]
    pairs = [(row.indices, row.data) for row in rows]
    yield "search_batch", lambda: model.top_k(X, 5), lambda found: found[0].shape == (N_ROWS, 5)
    yield (
        "search_single",
        lambda: [model.top_k(row, 5)[0][0].tolist() for row in rows],
        lambda found: found == first,
    )
    yield (
        "top_k_row",
        lambda: [model.top_k_row(*pair, 5)[0].tolist() for pair in pairs],
        lambda found: found == first,
    )


def measure() -> dict[str, int]:
    """Return the instructions of each kernel."""
    compiler = os.environ.get("CC") or shutil.which("cc")
    if shutil.which("valgrind") is None or compiler is None:
        raise NotCountedError("counting instructions needs valgrind and a C compiler")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        command = [compiler, "-shared", "-fPIC", "-O1", "-o", str(folder / "marks.so"), str(_MARKS)]
        if subprocess.run(command, capture_output=True, check=False).returncode != 0:
            raise NotCountedError("counting instructions needs the header valgrind/callgrind.h")
        done = subprocess.run(
            _callgrind(folder),
            cwd=ROOT,
            # Fixed hashes give identical dictionaries; spinning threads are not started.
            env=os.environ | {"PYTHONHASHSEED": "0", "OPENBLAS_NUM_THREADS": "1"},
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            raise NotCountedError(f"callgrind failed: {(done.stderr.splitlines() or [''])[-1]}")
        return counts(folder)


def _callgrind(folder: Path) -> list[str]:
    tool = ["valgrind", "--tool=callgrind", "--instr-atstart=no"]
    output = f"--callgrind-out-file={folder / 'counts'}"
    module = [sys.executable, "-m", "benchmarks.speed", "instructions", "--within", str(folder)]
    return [*tool, output, *module]


def counts(folder: Path) -> dict[str, int]:
    """Return the instructions of each callgrind dump, by name."""
    found = {}
    for path in sorted(folder.glob("counts.*"), key=lambda path: int(path.suffix[1:])):
        text = path.read_text()
        name = re.search(r"^desc: Trigger: Client Request: (.+)$", text, re.MULTILINE)
        # Not the line "summary", which is wrong if a thread ended in between.
        total = re.search(r"^totals: (\d+)", text, re.MULTILINE)
        if name and total:
            found[name[1]] = int(total[1])
    return found


def run_marked(folder: Path) -> None:
    """Run all kernels between marks; callgrind runs this function."""
    marks = ctypes.CDLL(str(folder / "marks.so"))
    for name, kernel, is_right in kernels(folder):
        kernel()  # imports and caches of the first call are not counted
        marks.start_counting()
        found = kernel()
        marks.stop_counting(name.encode())
        assert is_right(found), name


def comparison(before: dict[str, int], now: dict[str, int]) -> tuple[str, bool]:
    """Return the table of both counts, and whether every kernel is within the tolerance.

    Examples
    --------
    >>> text, is_within = comparison({"parse": 1000}, {"parse": 1030})
    >>> print(text.splitlines()[-1], is_within)
    parse                   1,000          1,030   +3.00 %  MORE False
    """
    lines = [f"{'kernel':14s} {'before':>14s} {'now':>14s} {'change':>9s}"]
    is_within = True
    for name in dict.fromkeys([*before, *now]):
        old, new = before.get(name), now.get(name)
        if old is None or new is None:
            verdict = "not in the baseline" if old is None else "MISSING"
            is_within &= new is not None
            lines.append(f"{name:14s} {_cell(old)} {_cell(new)} {'':9s}  {verdict}")
            continue
        change = new / old - 1
        is_within &= change <= TOLERANCE
        verdict = "MORE" if change > TOLERANCE else "fewer" if change < -TOLERANCE else ""
        line = f"{name:14s} {_cell(old)} {_cell(new)} {100 * change:+7.2f} %  {verdict}"
        lines.append(line.rstrip())
    return "\n".join(lines), is_within


def _cell(count: int | None) -> str:
    return f"{'' if count is None else format(count, ',d'):>14s}"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command line."""
    does = parser.add_mutually_exclusive_group()
    does.add_argument(
        "--compare", action="store_true", help="fail if a kernel exceeds the saved counts by 2 %%"
    )
    does.add_argument("--update", action="store_true", help="rewrite results/instructions.json")
    does.add_argument("--within", type=Path, help=argparse.SUPPRESS)


def run(asked: argparse.Namespace) -> int:
    """Run the command; return the exit status."""
    if asked.within is not None:
        run_marked(asked.within)
        return 0
    try:
        counted = measure()
    except NotCountedError as error:
        print(error, file=sys.stderr)
        return 1
    if asked.compare:
        baseline = json.loads(BASELINE.read_text())
        text, is_within = comparison(baseline["instructions"], counted)
        print(f"instructions against commit {baseline['machine']['commit']}\n{text}")
        return 0 if is_within else 1
    results = {"machine": machine(), "n_rows": N_ROWS, "n_labels": N_LABELS}
    results["instructions"] = counted
    print(json.dumps(results, indent=1))
    if asked.update:
        BASELINE.write_text(json.dumps(results, indent=1) + "\n")
    return 0
