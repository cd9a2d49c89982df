"""The memory of a worker whose limit is a share of X, beside one without a limit."""

from __future__ import annotations

import hashlib
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

from labeltree import PLTClassifier
from labeltree.data import LabelRows
from labeltree.data.features import FeatureMatrix, canonical_csr

_FEW = 3000  # rows of a first fit, after which a worker has imported everything


def worker_memory(
    X: FeatureMatrix, rows: LabelRows, times: int, share: float, **options: Any
) -> dict[str, Any]:
    """Return peak memory and CPU seconds of one worker, with and without a limit.

    Parameters
    ----------
    X, rows
        The rows.
    times
        How often each of them occurs, so that X is large.
    share
        The limit as a share of the bytes of X.
    """
    repeated = np.tile(np.arange(X.shape[0]), times)
    X, rows = X[repeated], rows.select(repeated)
    n_bytes = X.data.nbytes + X.indices.nbytes
    found: dict[str, Any] = {"n_rows": X.shape[0], "x_bytes": n_bytes, "share": share}
    with tempfile.TemporaryDirectory() as name:
        mapped = _mapped(X, Path(name))
        few = (X[:_FEW], rows.select(slice(0, _FEW)))
        for limit in (share * n_bytes, None):
            key = "unlimited" if limit is None else "limited"
            found[key] = _fit(mapped, rows, few, Path(name), {**options, "max_memory": limit})
    return {**found, "same bytes": found["limited"]["digest"] == found["unlimited"]["digest"]}


def _mapped(X: FeatureMatrix, folder: Path) -> FeatureMatrix:
    np.save(folder / "indices.npy", X.indices)
    np.save(folder / "data.npy", X.data)
    indices, data = (np.load(folder / f"{n}.npy", mmap_mode="r") for n in ("indices", "data"))
    return canonical_csr(X.indptr, indices, data, X.shape[1])


def _fit(X: Any, rows: Any, few: Any, folder: Path, options: dict[str, Any]) -> dict[str, Any]:
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        PLTClassifier(executor=pool).fit(*few)
        before, cpu_before = pool.submit(_start).result()
        model = PLTClassifier(executor=pool, n_jobs=1, **options).fit(X, rows)
        peak, cpu = pool.submit(_peak).result()
    model.save(folder / "model.lt")
    return {
        "max_memory": options["max_memory"],
        "peak_bytes": peak - before,
        "cpu_seconds": cpu - cpu_before,
        "digest": hashlib.sha256((folder / "model.lt").read_bytes()).hexdigest(),
    }


def _status(name: str) -> int:
    """Return bytes in memory, those of mapped files included (Linux)."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith(name))


def _start() -> tuple[int, float]:
    Path("/proc/self/clear_refs").write_text("5")  # forgets the peak
    return _status("VmRSS"), time.process_time()


def _peak() -> tuple[int, float]:
    return _status("VmHWM"), time.process_time()
