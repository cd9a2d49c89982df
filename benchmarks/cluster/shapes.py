"""Data of the scaling figures: real rows if there is a folder of them, and generated rows."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from benchmarks.generator import Generator
from labeltree.data.npz import read_npz, read_npz_labels

#: By name: rows and labels of generated data, more than caches hold.
GENERATED = {"many rows": (1_600_000, 10_000), "many labels": (1_200_000, 200_000)}
#: Set this variable to a folder with X.trn.npz and Y.trn.npz for a third shape.
FOLDER = "LABELTREE_CLUSTER_DATA"


def names() -> list[str]:
    """Return the names of the shapes."""
    return [*GENERATED, *(["texts"] if os.environ.get(FOLDER) else [])]


def read(name: str, share: float = 1.0) -> tuple[Any, Any]:
    """Return features and labels of a shape, or of a share of its rows."""
    if name in GENERATED:
        n_rows, n_labels = GENERATED[name]
        return Generator(n_labels=n_labels).rows(int(n_rows * share))
    folder = Path(os.environ[FOLDER])
    X, Y = read_npz(folder / "X.trn.npz"), read_npz_labels(folder / "Y.trn.npz")
    kept = slice(0, int(X.shape[0] * share))
    return X[kept], Y.select(kept)
