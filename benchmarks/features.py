"""What finding the powers of features gains, on features that were made in usual ways.

    python -m benchmarks.features [--output benchmarks/results/features.json]

The texts are the docstrings on this machine; a fifth of them is kept back and judged by.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer

from benchmarks.machine import machine
from benchmarks.markdown import table
from labeltree import PLTClassifier, metrics
from labeltree.data import LabelRows, as_features, as_labels
from labeltree.data.features import FeatureMatrix
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


def made(texts: list[str]) -> Iterator[tuple[str, FeatureMatrix]]:
    """Yield the features of each way."""
    for name, vectorizer in WAYS.items():
        yield name, as_features(vectorizer.fit_transform(texts))
    short = [" ".join(text.split()[:N_WORDS]) for text in texts]
    words = TfidfVectorizer(min_df=2).fit_transform(short)
    yield f"TF-IDF of the first {N_WORDS} words", as_features(words)


def measure(X: Any, Y: LabelRows) -> dict[str, Any]:
    """Return P@1, 3 and 5 with values as they are, and with powers that were found."""
    order = np.random.default_rng(0).permutation(Y.n_rows)
    n_kept = int(HELD_OUT * Y.n_rows)
    held, rest = np.sort(order[:n_kept]), np.sort(order[n_kept:])
    figures: dict[str, Any] = {"features_a_row": round(X.nnz / X.shape[0], 1)}
    for name, powers in (("as they are", (1.0, 0.0)), ("found", None)):
        clf = PLTClassifier(n_jobs=1, feature_powers=powers).fit(X[rest], Y.select(rest))
        ranked = clf.top_k(X[held], 5)[0]
        figures[name] = [
            round(100 * metrics.precision_at_k(Y.select(held), ranked, k), 2) for k in (1, 3, 5)
        ]
    figures["power"] = clf.scaling_.power
    figures["weights"] = bool(len(clf.scaling_.weights))
    return figures


def features_table(results: dict[str, Any]) -> str:
    """Return the page's table."""
    rows = [
        [
            way,
            f"{at['features_a_row']:.0f}",
            *(" / ".join(f"{p:.1f}" for p in at[name]) for name in ("as they are", "found")),
            f"{at['power']:.2f}",
            "yes" if at["weights"] else "no",
        ]
        for way, at in results["ways"].items()
    ]
    heads = ["features", "a row", "P@1 / 3 / 5 as they are", "found", "power", "weights"]
    return table(heads, rows)


def main() -> None:
    """Measure all ways."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.features", description=__doc__)
    parser.add_argument("--output", type=Path, help="JSON file to write")
    options = parser.parse_args()
    docs = python_docs()
    Y = as_labels(docs.tags)
    ways = {}
    for name, X in made(docs.texts):
        ways[name] = measure(X, Y)
        print(name, json.dumps(ways[name]), flush=True)
    if options.output:
        results = {"machine": machine(), "rows": Y.n_rows, "labels": Y.n_labels, "ways": ways}
        options.output.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
