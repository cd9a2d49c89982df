"""Speed of reading XMC text: MB/s of read_xmc, one thread, file in the page cache."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from benchmarks.speed.timing import timed
from labeltree.data import LabelRows, as_features, as_labels, read_xmc, write_xmc

# About 100 MB with the shape of EURLex-4K: 237 features and 5.3 labels per row.
N_ROWS = 30_000
N_FEATURES = 5_000
N_LABELS = 3_993


def generate(
    seed: int, n_rows: int = N_ROWS
) -> tuple[sparse.csr_array[np.float32, tuple[int, int]], LabelRows]:
    """Return random rows; duplicate draws make rows slightly shorter."""
    rng = np.random.default_rng(seed)
    columns = rng.integers(N_FEATURES, size=(n_rows, 243))
    # Such files hold TF-IDF weights with six digits.
    values = np.round(rng.gamma(1.0, 0.05, columns.shape) + 1e-3, 6)
    rows = np.repeat(np.arange(n_rows), columns.shape[1])
    X = sparse.coo_array(
        (values.ravel(), (rows, columns.ravel())), shape=(n_rows, N_FEATURES)
    ).tocsr()
    labels = [rng.integers(N_LABELS, size=n).tolist() for n in rng.poisson(5.3, n_rows)]
    return as_features(X), as_labels(labels, n_labels=N_LABELS)


def same(read: tuple[Any, LabelRows], written: tuple[Any, LabelRows]) -> bool:
    """Return whether both matrices are equal bit by bit."""
    (X, Y), (X0, Y0) = read, written
    pairs = ((X.indptr, X0.indptr), (X.indices, X0.indices), (X.data, X0.data))
    label_pairs = ((Y.indptr, Y0.indptr), (Y.indices, Y0.indices))
    return (
        X.shape == X0.shape
        and Y.n_labels == Y0.n_labels
        and all(np.array_equal(a, b) for a, b in (*pairs, *label_pairs))
    )


def measure(*, repeats: int = 5, seed: int = 0, n_rows: int = N_ROWS) -> dict[str, Any]:
    """Return the median and spread of the speed of read_xmc, after checking its result."""
    written = generate(seed, n_rows)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.txt"
        start = time.perf_counter()
        write_xmc(path, *written)
        write_seconds = time.perf_counter() - start
        megabytes = path.stat().st_size / 1e6
        assert same(read_xmc(path), written)
        took, _ = timed(lambda: read_xmc(path), repeats)
    return {
        "name": "parse",
        "threads": 1,
        "seed": seed,
        "megabytes": round(megabytes, 1),
        "n_rows": n_rows,
        "n_values": int(written[0].nnz),
        "read_mb_per_s": round(megabytes / took.median, 1),
        "read_mb_per_s_slowest": round(megabytes / max(took.seconds), 1),
        "read_mb_per_s_fastest": round(megabytes / min(took.seconds), 1),
        "write_mb_per_s": round(megabytes / write_seconds, 1),
    }
