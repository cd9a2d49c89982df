"""Generated data sets of shapes that are hard for label trees, as folders for the benchmarks.

    python -m benchmarks.shapes build/shapes              # all
    python -m benchmarks.shapes build/shapes long wide    # some

Each is a folder with X.trn.npz, Y.trn.npz, X.tst.npz and Y.tst.npz.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.preprocessing import normalize

from benchmarks.generator import BLOCK, Generator
from labeltree.data import as_features, write_npz

Rows = tuple[Any, Any]  # X and Y as matrices
N_TEST = 2000


def singletons(n_rows: int = 100_000) -> tuple[Rows, Rows]:
    """Return one row for each label, with 30 features; test rows have other words of their label.

    Examples
    --------
    >>> (X, Y), _ = singletons(5000)
    >>> int(Y.sum(axis=0).max()), round(X.nnz / 5000)
    (1, 30)
    """
    n_test = min(N_TEST, n_rows)
    tested = np.sort(np.random.default_rng(1).choice(n_rows, n_test, replace=False))
    every = np.arange(n_rows)
    return _one_label_each(every, n_rows, seed=2), _one_label_each(tested, n_rows, seed=3)


def _one_label_each(labels: Any, n_labels: int, seed: int) -> Rows:
    rng = np.random.default_rng(seed)
    n_features, n = 1 << 17, len(labels)
    own = _hashed(np.repeat(labels, 16) * 16 + np.tile(np.arange(16), n), n_features)
    kept = rng.random(len(own)) < 0.75
    topic = _hashed(n_labels * 16 + labels[:, None] // 50 * 8 + np.arange(8), n_features)
    common = (1000 ** rng.random((n, 11))).astype(np.int64)
    columns = np.concatenate([own[kept], topic.ravel(), common.ravel()])
    rows = [np.repeat(np.arange(n), 16)[kept], np.repeat(np.arange(n), 8)]
    rows.append(np.repeat(np.arange(n), 11))
    made = sparse.coo_array(
        (np.ones(len(columns), np.float32), (np.concatenate(rows), columns)), (n, n_features)
    )
    Y = sparse.csr_array((np.ones(n, np.uint8), (np.arange(n), labels)), (n, n_labels))
    return normalize(made.tocsr()), Y


def _hashed(keys: Any, n: int) -> Any:
    return (keys.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15) >> np.uint64(40)) % np.uint64(n)


def _generated(generator: Generator, n_rows: int) -> tuple[Rows, Rows]:
    X, Y = generator.rows(n_rows)
    X_test, Y_test = generator.rows(N_TEST, first_block=-(-n_rows // BLOCK))
    return (X, Y.to_csr()), (X_test, Y_test.to_csr())


def long() -> tuple[Rows, Rows]:
    """Return 10,000 rows with about 2,900 of 50,000 features, and 10,000 labels."""
    words = {"label_words": 1000, "topic_words": 1200, "common_words": 3500}
    return _generated(Generator(10_000, 50_000, **words), 10_000)


def wide() -> tuple[Rows, Rows]:
    """Return 2,500 rows with about 9,800 of 200,000 features, and 500 labels."""
    words = {"label_words": 3000, "topic_words": 5000, "common_words": 10_500}
    return _generated(Generator(500, 200_000, **words), 2500)


def dense(n_rows: int = 20_000) -> tuple[Rows, Rows]:
    """Return rows with 768 dense features, projections of sparse ones, and 5,000 labels."""
    generator = Generator(5000, 1 << 15)
    projection = np.random.default_rng(4).normal(size=(1 << 15, 768)).astype(np.float32)
    parts = _generated(generator, n_rows)
    first, second = ((as_features(normalize(X @ projection)), Y) for X, Y in parts)
    return first, second


SHAPES: dict[str, Callable[[], tuple[Rows, Rows]]] = {
    "singletons": singletons,
    "long": long,
    "wide": wide,
    "dense": dense,
}


def write(name: str, folder: Path) -> None:
    """Write a data set into its folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for part, (X, Y) in zip(("trn", "tst"), SHAPES[name](), strict=True):
        write_npz(folder / f"X.{part}.npz", sparse.csr_array(X))
        write_npz(folder / f"Y.{part}.npz", Y)


def _known(name: str) -> str:
    if name not in SHAPES:
        known = ", ".join(SHAPES)
        raise argparse.ArgumentTypeError(f"NAME must be among {known}, but is {name!r}")
    return name


def main(arguments: list[str] | None = None) -> None:
    """Write the data sets."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.shapes",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument(
        "names", nargs="*", type=_known, metavar="NAME", help=f"{', '.join(SHAPES)}"
    )
    asked = parser.parse_args(arguments)
    for name in asked.names or SHAPES:
        write(name, asked.folder / name)


if __name__ == "__main__":
    main()
