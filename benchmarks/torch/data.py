"""The data sets of the benchmark: from npz files, or packed by byte planes."""

from __future__ import annotations

import io
import lzma
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Sparse:
    """A sparse matrix in the form of scipy, which a machine with a GPU need not have."""

    data: NDArray[np.float32]
    indices: NDArray[np.int64]
    indptr: NDArray[np.int64]
    shape: tuple[int, int]

    def tocsr(self) -> Self:
        """Return the matrix itself."""
        return self

    def __getitem__(self, rows: Any) -> Sparse:
        rows = np.arange(self.shape[0])[rows]
        lengths = np.diff(self.indptr)[rows]
        starts = np.append(0, np.cumsum(lengths))
        at = np.arange(starts[-1]) + np.repeat(self.indptr[rows] - starts[:-1], lengths)
        return Sparse(self.data[at], self.indices[at], starts, (len(rows), self.shape[1]))


def load(folder: Path, name: str, part: str) -> tuple[Sparse, Sparse]:
    """Return X and Y of "trn" or "tst"."""
    packed = folder / f"{name}.npz.xz"
    if packed.exists():
        arrays = np.load(io.BytesIO(lzma.decompress(packed.read_bytes())))
        return _unpacked(arrays, f"X.{part}"), _unpacked(arrays, f"Y.{part}")
    return _read(folder / name / f"X.{part}.npz"), _read(folder / name / f"Y.{part}.npz")


def _read(path: Path) -> Sparse:
    arrays = np.load(path)
    n, m = arrays["shape"].tolist()
    return Sparse(arrays["data"], arrays["indices"], arrays["indptr"].astype(np.int64), (n, m))


def _unpacked(arrays: Any, name: str) -> Sparse:
    """Return a matrix whose indices are stored as differences within each row."""
    lengths = arrays[f"{name}.lengths"].astype(np.int64)
    starts = np.append(0, np.cumsum(lengths))
    difference = np.zeros(starts[-1], dtype=np.int64)
    for i in range(3):
        difference += arrays[f"{name}.delta{i}"].astype(np.int64) << (8 * i)
    total = np.append(0, np.cumsum(difference))
    indices = total[1:] - np.repeat(total[starts[:-1]], lengths)
    values = np.ones(starts[-1], dtype=np.float32)
    if f"{name}.value0" in arrays:
        low, high = arrays[f"{name}.value0"], arrays[f"{name}.value1"]
        values = np.stack([low, high], 1).view(np.float16)[:, 0].astype(np.float32)
    n, m = arrays[f"{name}.shape"].tolist()
    return Sparse(values, indices, starts, (n, m))
