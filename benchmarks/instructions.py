"""How many instructions each kernel takes on a small fixed input, counted by callgrind.

    python -m benchmarks.instructions

Instructions do not depend on what else the machine does, so that a change of a few percent shows.
Where there is no valgrind, or no C compiler for the marks between which is counted, it says so.
"""

from __future__ import annotations

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
from benchmarks.speed import build
from labeltree import PLTClassifier, cost, trees
from labeltree.data import read_xmc, write_xmc

ROOT = Path(__file__).parent.parent
_MARKS = Path(__file__).with_name("marks.c")
N_ROWS, N_LABELS = 1000, 300
_N_SINGLE = 20


def kernels(folder: Path) -> Iterator[tuple[str, Callable[[], Any], Callable[[Any], bool]]]:
    """Yield name, kernel and what its answer must satisfy; inputs are made beforehand."""
    X, Y = Generator(N_LABELS, n_features=4096).rows(N_ROWS)
    path = folder / "rows.txt"
    write_xmc(path, X, Y)
    counts = build.generate(0, 20_000)
    tree = trees.cheapest(Y)
    price = cost.training_cost(tree, Y)
    model = PLTClassifier(tree=tree, n_jobs=1)
    yield "parse", lambda: read_xmc(path), lambda read: read[0].nnz == X.nnz
    yield "price", lambda: cost.training_cost(tree, Y), lambda found: found == price
    yield "huffman", lambda: trees.huffman(counts), lambda found: found.n_labels == 20_000
    yield (
        "cheapest",
        lambda: trees.cheapest(Y),
        lambda found: cost.training_cost(found, Y) == price,
    )
    yield "kmeans", lambda: trees.kmeans(X, Y, n_jobs=1), lambda found: found.n_labels == N_LABELS
    yield "train", lambda: model.fit(X, Y), lambda found: found.training_cost_ == price
    yield "search_batch", lambda: model.top_k(X, 5), lambda found: found[0].shape == (N_ROWS, 5)
    rows = [X[i : i + 1] for i in range(_N_SINGLE)]
    first = model.top_k(X[:_N_SINGLE], 5)[0]
    yield (
        "search_single",
        lambda: [model.top_k(row, 5)[0][0].tolist() for row in rows],
        lambda found: found == first.tolist(),
    )


def measure() -> dict[str, Any]:
    """Return the instructions of each kernel, or why they could not be counted."""
    compiler = os.environ.get("CC") or shutil.which("cc")
    if shutil.which("valgrind") is None or compiler is None:
        return {"name": "instructions", "skipped": "needs valgrind and a C compiler"}
    with tempfile.TemporaryDirectory() as folder:
        marks = Path(folder) / "marks.so"
        command = [compiler, "-shared", "-fPIC", "-O1", "-o", str(marks), str(_MARKS)]
        compiled = subprocess.run(command, capture_output=True, text=True, check=False)
        if compiled.returncode != 0:
            return {"name": "instructions", "skipped": "valgrind/callgrind.h is missing"}
        done = subprocess.run(
            _callgrind(Path(folder)),
            cwd=ROOT,
            # Same hashes, so same dictionaries; no threads of libraries that only spin.
            env=os.environ | {"PYTHONHASHSEED": "0", "OPENBLAS_NUM_THREADS": "1"},
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            last = (done.stderr.splitlines() or [""])[-1]
            return {"name": "instructions", "skipped": f"callgrind failed: {last}"}
        counted = {name: {"instructions": n} for name, n in counts(Path(folder)).items()}
    return {"name": "instructions", "n_rows": N_ROWS, "n_labels": N_LABELS, **counted}


def _callgrind(folder: Path) -> list[str]:
    tool = ["valgrind", "--tool=callgrind", "--instr-atstart=no"]
    output = f"--callgrind-out-file={folder / 'counts'}"
    return [*tool, output, sys.executable, "-m", "benchmarks.instructions", "--within", str(folder)]


def counts(folder: Path) -> dict[str, int]:
    """Return the instructions of each dump of callgrind, by the name it was given."""
    found = {}
    for path in sorted(folder.glob("counts.*"), key=lambda path: int(path.suffix[1:])):
        text = path.read_text()
        name = re.search(r"^desc: Trigger: Client Request: (.+)$", text, re.MULTILINE)
        total = re.search(r"^(?:summary|totals): (\d+)", text, re.MULTILINE)
        if name and total:
            found[name[1]] = int(total[1])
    return found


def run_marked(folder: Path) -> None:
    """Run all kernels between marks; what runs below callgrind."""
    marks = ctypes.CDLL(str(folder / "marks.so"))
    for name, kernel, is_right in kernels(folder):
        marks.start_counting()
        answer = kernel()
        marks.stop_counting(name.encode())
        assert is_right(answer), name


if __name__ == "__main__":
    if sys.argv[1:2] == ["--within"]:
        run_marked(Path(sys.argv[2]))
    else:
        print(json.dumps(measure(), indent=2))
