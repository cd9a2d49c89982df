"""The memory of a worker that trains from rows which are larger than its limit."""

import os
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from labeltree import PLTClassifier
from tests.execution.test_same_model import written

N_ROWS, N_FEATURES, PER_ROW = 130_000, 750, 150
OPTIONS = {
    "max_iter": 2,
    "feature_weighting": None,
    "validation_fraction": None,
    "C": 0.01,
    "tol": 1.0,
}

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


def status(name: str) -> int:
    """Return a number of this process in bytes; pages of files count in both that are used."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith(name))


def start_measuring() -> int:
    """Forget the peak so far, and return what is in memory now."""
    import labeltree.estimators  # noqa: F401

    Path("/proc/self/clear_refs").write_text("5")
    return status("VmRSS")


def peak() -> int:
    return status("VmHWM")


def read_file(path: Path) -> int:
    """Return the peak after reading a mapped file."""
    np.load(path, mmap_mode="r").sum()
    return peak()


def mapped_rows(folder: Path):
    """Return rows of unit length that are mapped from files, and their labels."""
    rng = np.random.default_rng(0)
    step = N_FEATURES // PER_ROW
    starts = np.arange(0, N_FEATURES, step, dtype=np.int32)
    indices = (starts + rng.integers(step, size=(N_ROWS, PER_ROW), dtype=np.int32)).ravel()
    np.save(folder / "indices.npy", indices)
    np.save(folder / "data.npy", np.full(len(indices), PER_ROW**-0.5, np.float32))
    data, columns = (np.load(folder / f"{n}.npy", mmap_mode="r") for n in ("data", "indices"))
    indptr = np.arange(0, len(indices) + 1, PER_ROW, dtype=np.int32)
    X = sparse.csr_array((data, columns, indptr), shape=(N_ROWS, N_FEATURES))
    labels = 10 * (indices[::PER_ROW] % 4) + rng.integers(10, size=N_ROWS)
    Y = sparse.csr_array((np.ones(N_ROWS), labels, np.arange(N_ROWS + 1)), shape=(N_ROWS, 40))
    return X, Y


@pytest.mark.skipif("asan" in os.environ.get("LD_PRELOAD", ""), reason="it takes memory itself")
def test_a_worker_stays_below_a_quarter_of_x_and_gives_the_same_bytes(tmp_path) -> None:
    X, Y = mapped_rows(tmp_path)
    limit = (X.indices.nbytes + X.data.nbytes) / 4
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        PLTClassifier(executor=pool, **OPTIONS).fit(X[:2000], Y[:2000])
        before = pool.submit(start_measuring).result()
        limited = PLTClassifier(executor=pool, max_memory=limit, **OPTIONS).fit(X, Y)
        used = pool.submit(peak).result() - before
        read = pool.submit(read_file, tmp_path / "data.npy").result() - before
    assert used < limit < read  # so pages of files are counted
    whole = PLTClassifier(n_jobs=1, **OPTIONS).fit(X, Y)
    assert written(limited, tmp_path / "a.lt") == written(whole, tmp_path / "b.lt")
