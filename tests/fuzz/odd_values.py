"""Odd arguments: numbers, texts, matrices and labels that no caller should pass, but one will."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from tests.fuzz.byte_mutations import Random, pick
from tests.fuzz.odd_json import nested
from tests.fuzz.seed_models import N_FEATURES, TEXTS, label_sets, rows

_NUMBERS: list[Any] = [
    *(-1, 0, 1, 2, 3, 1.5, -0.5, 0.5, 2.0, 1e-9, 1e30, 1e300, 2**31 - 1, 2**31, 2**32, 2**40),
    *(2**53, 2**62, 2**63 - 1, 2**63, 2**64, 10**9, 10**12, 10**30, -(2**31), -(2**63), -(2**64)),
    *(float("nan"), float("inf"), float("-inf"), True, False, 1j, np.int8(3), np.float16(2)),
    *(np.int64(2), np.uint64(2**63), np.float32("nan"), np.array(2), np.array([2]), np.bool_(1)),
]
_TEXTS: list[Any] = [
    *("", " ", "tea", "\x00", "\ud800", "a\u0301" * 50, "\U0001f375", "\u202e", "麵包" * 30, "ß"),
    *("x" * 20000, "\n", "nan", "auto", "cheapest", "None", "1", b"tea", b"\xff", "İI\u0307", "ﬁ"),
]
_OTHERS: list[Any] = [
    *(None, (), [], {}, set(), [[]], [[], []], [None], [1, "a"], {"a": 1}, {1: 2}, object(), int),
    *(range(3), slice(3), Ellipsis, np.nan, np.zeros(0), np.zeros((0, 0)), np.zeros((3, 0))),
    *(np.zeros((0, 3)), np.zeros((2, 2, 2)), np.array(None), np.array("a"), np.array([b"a"])),
    *(np.array([object()]), np.datetime64("2020"), pd.NA, pd.NaT, memoryview(b"ab"), bytearray(2)),
    *(iter([1, 2]), (n for n in range(2)), nested(50), frozenset({1}), complex("nan"), Exception()),
    *([1] * 1000, [[1]] * 1000, ["a", None], [["a"], None], [{"a"}, {"b"}], [1.5, 2.5], [[1.5]]),
]


def odd_value(rng: Random) -> Any:
    """Return anything."""
    kind = rng.random()
    if kind < 0.35:
        return pick(rng, _NUMBERS)
    if kind < 0.45:
        return pick(rng, _TEXTS)
    if kind < 0.6:
        return pick(rng, _OTHERS)
    if kind < 0.8:
        return odd_matrix(rng, corrupt=False)
    return odd_labels(rng, corrupt=False) if kind < 0.92 else odd_texts(rng)


def odd_matrix(rng: Random, *, corrupt: bool = True) -> Any:
    """Return features that are wrong in some way, or right in an unusual one.

    Matrices that are corrupt break scipy itself, so only arguments that are meant for matrices, and
    that are checked first, may be such.
    """
    X = rows(rng, int(pick(rng, [0, 1, 3, 12])))
    kind = int(rng.integers(13))
    if kind == 0:
        return X.astype(pick(rng, ["f8", "i8", "i1", "?", "c8", np.longdouble]))
    if kind == 1:
        return getattr(X, pick(rng, ["tocsc", "tocoo", "todok", "tolil", "todia"]))()
    if kind == 2:
        return _with_odd_entries(rng, X)
    if kind == 3 and corrupt:
        return _corrupted(rng, X)
    if kind == 4:
        return sparse.csr_array(X[:, : int(rng.integers(N_FEATURES + 1))])
    if kind == 5:
        return pd.DataFrame(X.toarray()[:, : int(rng.integers(1, N_FEATURES + 1))])
    if kind == 6:
        return pick(rng, [X.toarray().T, X.toarray()[::-1, ::-1], np.asfortranarray(X.toarray())])
    if kind == 7:
        dtypes = ["f2", ">f4", "u1", "i8", "O", "U5", "S3", "M8[s]", "?"]
        return X.toarray().astype(pick(rng, dtypes))
    if kind == 8:
        return X.toarray().tolist()
    if kind == 9:
        return [*X.toarray().tolist(), [1.0]]
    if kind == 10:
        wide = int(pick(rng, [N_FEATURES, 2**20, 2**31, 2**40]))
        return sparse.csr_array((3, wide), dtype=np.float32)
    if kind == 11:
        return np.ma.masked_array(X.toarray(), mask=X.toarray() > 0.5)
    return sparse.csr_matrix(X)


def _with_odd_entries(rng: Random, X: Any) -> Any:
    if X.nnz:
        places = rng.integers(X.nnz, size=2)
        X.data[places] = pick(rng, [np.nan, np.inf, -np.inf, 3e38, -3e38, 1e-45, 0.0, -0.0])
    return X.toarray() if rng.random() < 0.3 else X


def _corrupted(rng: Random, X: Any) -> Any:
    """Return a CSR matrix whose arrays do not fit together."""
    X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    if rng.random() < 0.5:
        X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    limit = np.iinfo(X.indices.dtype).max
    target = X.indices if X.nnz and rng.random() < 0.5 else X.indptr
    odd = [-1, 0, 1, N_FEATURES, limit, limit - 1, -limit]
    target[int(rng.integers(len(target)))] = pick(rng, odd)
    if rng.random() < 0.2:
        X.data = X.data[:-1]
    return X


def odd_labels(rng: Random, *, corrupt: bool = True) -> Any:
    """Return labels of any form."""
    n_rows = int(pick(rng, [0, 1, 3, 12]))
    Y: Any = label_sets(rng, n_rows)
    kind = int(rng.integers(12))
    if kind == 0:
        return [*Y, pick(rng, [None, 1, "cat", {"cat": 1}, [None], [["cat"]], [float("nan")]])]
    if kind == 1:
        return [pick(rng, _NUMBERS) for _ in range(n_rows)]
    if kind == 2:
        return [[pick(rng, _NUMBERS)] for _ in range(n_rows)]
    if kind == 3:
        return [[pick(rng, _TEXTS), "b"] for _ in range(n_rows)]
    if kind == 4:
        return np.array([pick(rng, ["a", "b", ""]) for _ in range(n_rows)], dtype=object)
    if kind == 5:
        return rng.integers(-1, 3, size=(n_rows, 6))
    if kind == 6:
        return sparse.csr_array(rng.integers(0, int(pick(rng, [2, 3])), size=(n_rows, 6)))
    if kind == 7 and corrupt:
        return _corrupted(rng, sparse.csr_array(rng.integers(0, 2, size=(n_rows, 6))))
    if kind == 8:
        return pd.DataFrame(rng.integers(0, 2, size=(n_rows, 3)), columns=["a", "b", "b"])
    if kind == 9:
        return pd.Series([pick(rng, ["a", None, 1, pd.NA]) for _ in range(n_rows)], dtype=object)
    if kind == 10:
        return rng.random((n_rows, 4)).astype(pick(rng, ["f4", "f2", "?", "i1", "O", "U3"]))
    return [[(1, "a")], [frozenset()], [b"x"]] * (n_rows // 3)


def odd_texts(rng: Random) -> Any:
    """Return texts of any kind."""
    texts: list[Any] = [*TEXTS[: int(rng.integers(6))]]
    kind = int(rng.integers(6))
    if kind == 0:
        return [*texts, pick(rng, _TEXTS)]
    if kind == 1:
        return [*texts, pick(rng, _OTHERS)]
    if kind == 2:
        return "one text"
    if kind == 3:
        return np.array([*texts, pick(rng, [t for t in _TEXTS if isinstance(t, str)])])
    if kind == 4:
        return pd.Series([*texts, None], dtype=object)
    return (text for text in texts)
