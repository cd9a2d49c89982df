"""The same rows for all systems: scaled to unit length, float32, in the format of each system."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
from scipy import sparse
from sklearn.preprocessing import normalize

from benchmarks.rivals.paired import KeptHits
from labeltree import datasets
from labeltree.data import LabelRows, read_npz, read_npz_labels, write_npz, write_xmc

EURLEX = "eurlex-4k"  # downloaded if no folder is given
SEED = 0  # for the choice of test rows and for every system with a seed


@dataclass(frozen=True)
class Prepared:
    """Rows in files."""

    name: str
    folder: Path

    def files(self, text: str | None) -> dict[str, str]:
        """Return the files of the training rows; a text file is written on first use."""
        paths = {"X": self.folder / "X.trn.npz", "Y": self.folder / "Y.trn.npz"}
        if text is not None:
            paths["text"] = self.folder / f"train.{text}.txt"
            if not paths["text"].exists():
                part = paths["text"].with_suffix(".part")
                WRITERS[text](part, read_npz(paths["X"]), read_npz_labels(paths["Y"]))
                part.rename(paths["text"])
        return {what: str(path) for what, path in paths.items()}

    @property
    def test_features(self) -> Path:
        """The features of the test rows."""
        return self.folder / "X.tst.npz"

    @property
    def hits(self) -> KeptHits:
        """Which labels of each system are true; removed when other rows are prepared."""
        return KeptHits(self.folder / "hits")

    def labels(self, part: str) -> LabelRows:
        """Return the labels of the rows of "trn" or "tst"."""
        return read_npz_labels(self.folder / f"Y.{part}.npz")

    def facts(self) -> dict[str, Any]:
        """Return the sizes of the set."""
        train, test = self.labels("trn"), self.labels("tst")
        X = read_npz(self.folder / "X.trn.npz")
        return {
            "data": self.name,
            "n_rows": train.n_rows,
            "n_test_rows": test.n_rows,
            "n_features": X.shape[1],
            "n_labels": train.n_labels,
            "labels_per_row": round(len(train.indices) / train.n_rows, 2),
            "features_per_row": round(X.nnz / X.shape[0], 1),
        }


def prepare(source: str, cache: Path, test_rows: int | None) -> Prepared:
    """Return the rows of a folder, or of EURLex-4K, as files in the cache.

    Test rows without a label are dropped; of the others, `test_rows` are drawn at random.
    """
    name = source if source == EURLEX else Path(source).resolve().name
    folder = cache / "data" / f"{name}-{test_rows or 'all'}"
    made_of = json.dumps([_stamp(source), test_rows, SEED])
    marker = folder / "made-of.json"
    if marker.exists() and marker.read_text() == made_of:
        return Prepared(name, folder)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    X, Y, X_test, Y_test = _read(source)
    chosen = _labeled(Y_test, test_rows)
    for part, matrix in (("trn", X), ("tst", X_test[chosen])):
        write_npz(folder / f"X.{part}.npz", normalize(matrix, copy=False))
    write_npz(folder / "Y.trn.npz", Y)
    write_npz(folder / "Y.tst.npz", sparse.csr_array(Y_test)[chosen])
    marker.write_text(made_of)
    return Prepared(name, folder)


def _read(source: str) -> tuple[Any, Any, Any, Any]:
    if source == EURLEX:
        data = datasets.eurlex4k()
        assert data.Y_test is not None
        return data.X, data.Y.to_csr(), data.X_test, data.Y_test.to_csr()
    folder = Path(source)
    X, X_test = (read_npz(folder / f"X.{part}.npz") for part in ("trn", "tst"))
    Y, Y_test = (read_npz_labels(folder / f"Y.{part}.npz").to_csr() for part in ("trn", "tst"))
    return X, Y, X_test, Y_test


def _stamp(source: str) -> list[float]:
    if source == EURLEX:
        return []
    return [path.stat().st_mtime for path in sorted(Path(source).glob("[XY].*.npz"))]


def _labeled(Y: Any, n_rows: int | None) -> Any:
    rows = np.flatnonzero(np.diff(Y.indptr))
    if n_rows is None or n_rows >= len(rows):
        return rows
    return np.sort(np.random.default_rng(SEED).choice(rows, n_rows, replace=False))


def _write_lines(
    path: Path, X: Any, Y: LabelRows, write: Callable[[IO[str], list[int], slice], None]
) -> None:
    # Online learners forget early rows, so rows of a class must not be adjacent.
    order = np.random.default_rng(SEED).permutation(X.shape[0]).tolist()
    with path.open("w") as file:
        for i in order:
            labels = Y.indices[Y.indptr[i] : Y.indptr[i + 1]].tolist()
            if labels:
                write(file, labels, slice(X.indptr[i], X.indptr[i + 1]))


def _write_words(path: Path, X: Any, Y: LabelRows) -> None:
    def write(file: IO[str], labels: list[int], row: slice) -> None:
        names = " ".join(f"__label__{j}" for j in labels)
        file.write(f"{names} {' '.join(f'f{j}' for j in X.indices[row].tolist())}\n")

    _write_lines(path, X, Y, write)


def _write_vw(path: Path, X: Any, Y: LabelRows) -> None:
    def write(file: IO[str], labels: list[int], row: slice) -> None:
        pairs = zip(X.indices[row].tolist(), X.data[row].tolist(), strict=True)
        features = " ".join(f"{j}:{value:.6g}" for j, value in pairs)
        file.write(f"{','.join(map(str, labels))} | {features}\n")

    _write_lines(path, X, Y, write)


WRITERS: dict[str, Callable[[Path, Any, LabelRows], None]] = {
    "xmc": write_xmc,
    "words": _write_words,
    "vw": _write_vw,
}
