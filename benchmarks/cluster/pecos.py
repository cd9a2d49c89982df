"""PECOS's training in one process and by MPI on this machine, beside labeltree.

PECOS splits a list of arrays of unequal lengths with `numpy.array_split`, which NumPy refuses from
1.24 on: the process stops, and those that wait for it never do. So its module runs with a split as
of NumPy 1.23.
"""

from __future__ import annotations

import resource
import subprocess
import tempfile
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from scipy import sparse

from labeltree import PLTClassifier
from labeltree.data.row_scaling import UNIT

_MODULE = "pecos.xmc.xlinear.train"
_SPREAD = """
import runpy
import numpy as np
split = np.array_split
def array_split(items, n, axis=0):
    if isinstance(items, list):
        array = np.empty(len(items), object)
        array[:] = items
        items = array
    return split(items, n, axis)
np.array_split = array_split
runpy.run_module("pecos.distributed.xmc.xlinear.train", run_name="__main__")
"""


def compare(X: Any, Y: Any, python: str) -> dict[str, float]:
    """Return the CPU seconds of fits, by system and number of processes.

    Parameters
    ----------
    X, Y
        The training rows.
    python
        Python of an environment with PECOS and mpi4py; `mpiexec` is a command.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        sparse.save_npz(folder / "X.npz", sparse.csr_matrix(UNIT(X)))
        shape = Y.n_rows, Y.n_labels
        ones = [1.0] * len(Y.indices)
        sparse.save_npz(folder / "Y.npz", sparse.csr_matrix((ones, Y.indices, Y.indptr), shape))
        files = ["-x", f"{name}/X.npz", "-y", f"{name}/Y.npz", "-m", f"{name}/model", "-n", "1"]
        (folder / "spread.py").write_text(_SPREAD)
        of_two = ["mpiexec", "-n", "2", python, f"{name}/spread.py", *files]
        found = {
            "PECOS, one process": _children(lambda: _run([python, "-m", _MODULE, *files])),
            "PECOS, two processes of MPI": _children(lambda: _run(of_two)),
        }
    found["labeltree, one process"] = _cpu(lambda: PLTClassifier(n_jobs=1).fit(X, Y))
    found["labeltree, two worker processes"] = _of_pool(X, Y)
    return found


def _run(command: list[str]) -> None:
    subprocess.run(command, check=True, timeout=1800)


def _of_pool(X: Any, Y: Any) -> float:
    """Return the CPU seconds of driver and workers, with the start of the workers."""
    own = 0.0

    def fit() -> None:
        nonlocal own
        with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
            own = _cpu(lambda: PLTClassifier(n_jobs=1, executor=pool).fit(X, Y))

    return _children(fit) + own


def _cpu(call: Any, who: int = resource.RUSAGE_SELF) -> float:
    before = resource.getrusage(who)
    call()
    after = resource.getrusage(who)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _children(call: Any) -> float:
    return _cpu(call, resource.RUSAGE_CHILDREN)
