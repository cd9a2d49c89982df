"""Streams of rows with labels that appear over time."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.feature_extraction.text import HashingVectorizer
from sklearn.preprocessing import normalize

from labeltree.data import LabelRows, as_features, as_labels, read_npz, read_npz_labels

CHANGELOGS = "changelogs"
_DOC = Path("/usr/share/doc")
_N_FEATURES = 2**17  # number of features that words are hashed to
_TEST_SHARE = 0.1
# package (version) distributions; options, the changes, then author and date.
_ENTRY = re.compile(
    r"^([a-z0-9][a-z0-9+.-]+) \(([^)]*)\)[^\n]*;[^\n]*\n(.*?)\n -- ([^\n]*?) <[^\n]*>  ([^\n]*)$",
    re.DOTALL | re.MULTILINE,
)


class Stream(NamedTuple):
    """Rows in the order in which they are learned, and test rows."""

    name: str
    order: str
    X: Any
    Y: LabelRows
    X_test: Any
    Y_test: LabelRows


def of(source: str, n_rows: int | None, seed: int) -> Stream:
    """Return a shuffled stream of a folder of npz files, or of the changelogs by date."""
    if source == CHANGELOGS:
        return changelogs(n_rows)
    folder = Path(source)
    X, Y = read_npz(folder / "X.trn.npz"), read_npz_labels(folder / "Y.trn.npz")
    order = np.random.default_rng(seed).permutation(X.shape[0])[:n_rows]
    X_test, Y_test = read_npz(folder / "X.tst.npz"), read_npz_labels(folder / "Y.tst.npz")
    few = np.random.default_rng(seed).permutation(X_test.shape[0])[:5000]
    return Stream(
        folder.name,
        "random",
        _unit(X[order]),
        some(Y, order),
        _unit(X_test[few]),
        some(Y_test, few),
    )


def changelogs(n_rows: int | None = None) -> Stream:
    """Return the entries of all Debian changelogs on this machine, from the oldest to the newest.

    An entry is labeled with its package and its author; both appear over time.
    """
    found = {(package, version): entry for package, version, *entry in _entries()}
    rows = sorted((date, text, package, who) for (package, _), (text, who, date) in found.items())
    rows = rows[:n_rows]
    if len(rows) < 100:
        raise ValueError(f"there must be Debian changelogs below {_DOC}, but {len(rows)} were read")
    vectorizer = HashingVectorizer(n_features=_N_FEATURES, alternate_sign=False, norm=None)
    X = vectorizer.transform(text for _, text, _, _ in rows)
    X.data = 1 + np.log(X.data)
    Y = as_labels([[f"package {package}", f"by {who}"] for _, _, package, who in rows])
    first_test = round(len(rows) * (1 - _TEST_SHARE))
    train, test = np.arange(first_test), np.arange(first_test, len(rows))
    return Stream(
        CHANGELOGS, "by date", _unit(X[train]), some(Y, train), _unit(X[test]), some(Y, test)
    )


def _entries() -> Iterator[tuple[str, str, str, str, datetime]]:
    for path in sorted(_DOC.glob("*/changelog*.gz")):
        with gzip.open(path, "rt", errors="replace") as file:
            for package, version, text, who, date in _ENTRY.findall(file.read()):
                try:
                    when = parsedate_to_datetime(date)
                except ValueError:
                    continue
                # Some dates have no time zone.
                when = when.replace(tzinfo=when.tzinfo or UTC)
                yield package, version, text, who.strip(), when


def _unit(X: Any) -> Any:
    return as_features(normalize(X.astype(np.float32)))


def some(Y: LabelRows, rows: NDArray[np.int64]) -> LabelRows:
    """Return some rows of Y; labels keep their numbers."""
    lengths = np.diff(Y.indptr)[rows]
    indptr = np.concatenate([[0], np.cumsum(lengths)])
    places = np.repeat(Y.indptr[rows] - indptr[:-1], lengths) + np.arange(indptr[-1])
    return LabelRows(indptr, Y.indices[places], Y.n_labels, None, "indicator")
