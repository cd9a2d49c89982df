"""Gain of feature weighting on common kinds of features.

The texts are the docstrings of the installed packages; a fifth of them is held out.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer

from benchmarks.markdown import at_ranks, table
from benchmarks.pages.places import Place, Record, Table, measured_on
from benchmarks.rows import percent_at, shuffled_split
from labeltree import PLTClassifier
from labeltree.data import LabelRows, as_features, as_labels
from labeltree.datasets import python_docs

N_WORDS = 7
HELD_OUT = 0.2
WAYS: dict[str, Any] = {
    "counts of words": CountVectorizer(min_df=2),
    "TF-IDF of words": TfidfVectorizer(min_df=2),
    "TF-IDF of 2 to 4 characters": TfidfVectorizer(
        min_df=2, analyzer="char_wb", ngram_range=(2, 4)
    ),
    "TF-IDF of words and pairs, log counts": TfidfVectorizer(
        min_df=2, sublinear_tf=True, ngram_range=(1, 2)
    ),
}
_KINDS = {"as they are": (1.0, 0.0), "found": "auto"}


MINUTES = 1.2
MINUTES_FROM = "CPU time, measured once"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add no options."""


def measure(asked: argparse.Namespace) -> Iterator[Record]:
    """Measure all kinds of features."""
    docs = python_docs()
    Y = as_labels(docs.tags)
    ways = {name: gains(X, Y) for name, X in made(docs.texts)}
    yield {"data": "docstrings", "rows": Y.n_rows, "labels": Y.n_labels, "ways": ways}


def made(texts: list[str]) -> Iterator[tuple[str, Any]]:
    """Yield the features of each kind."""
    for name, vectorizer in WAYS.items():
        yield name, as_features(vectorizer.fit_transform(texts))
    short = [" ".join(text.split()[:N_WORDS]) for text in texts]
    words = TfidfVectorizer(min_df=2).fit_transform(short)
    yield f"TF-IDF of the first {N_WORDS} words", as_features(words)


def gains(X: Any, Y: LabelRows) -> dict[str, Any]:
    """Return P@1, 3 and 5 without and with weighting."""
    held, rest = shuffled_split(Y.n_rows, int(HELD_OUT * Y.n_rows))
    figures: dict[str, Any] = {"features_a_row": round(X.nnz / X.shape[0], 1)}
    for name, powers in _KINDS.items():
        clf = PLTClassifier(n_jobs=1, feature_weighting=powers).fit(X[rest], Y.select(rest))
        figures[name] = percent_at(Y.select(held), clf.top_k(X[held], 5)[0], 2)
    figures["power"] = clf.value_power_
    figures["weights"] = bool((clf.feature_weights_ != 1).any())
    return figures


def page(records: list[Record]) -> Iterator[Place]:
    """Yield the table."""
    for record in records:
        rows = [
            [
                way,
                f"{at['features_a_row']:.0f}",
                *(at_ranks(at[name]) for name in _KINDS),
                f"{at['power']:.2f}",
                "yes" if at["weights"] else "no",
            ]
            for way, at in record["ways"].items()
        ]
        heads = ["features", "per row", "P@1 / 3 / 5, no weighting", '"auto"', "power", "weights"]
        size = f"{record['rows']:,} rows, {record['labels']:,} labels"
        note = f"Docstrings: {size}, a fifth held out. {measured_on(record)}"
        yield Table("features", f"{table(heads, rows)}\n\n{note}")
