"""Compare probabilities before and after calibration, and tune thresholds.

python examples/calibrate.py
"""

from __future__ import annotations

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer

from labeltree import PLTClassifier, datasets, metrics
from labeltree.data import as_labels


def main() -> None:
    """Train on docstrings, calibrate on a fifth of them, and evaluate on another."""
    docs = datasets.python_docs(packages=["numpy", "scipy"])
    fold = np.random.default_rng(0).integers(0, 5, len(docs.texts))
    train, validation, test = (np.flatnonzero(part) for part in (fold > 1, fold == 0, fold == 1))
    X = TfidfVectorizer(sublinear_tf=True).fit_transform(docs.texts)
    Y = as_labels(docs.tags)

    clf = PLTClassifier().fit(X[train], Y.select(train))
    labels, before = clf.top_k(X[test], k=5)
    clf.calibrate(X[validation], Y.select(validation))
    _, after = clf.top_k(X[test], k=5)
    truth = Y.select(test)
    print(f"ECE@5 before {metrics.ece_at_k(truth, labels, 5, before):.3f}")
    print(f"ECE@5 after  {metrics.ece_at_k(truth, labels, 5, after):.3f}")

    for objective in (None, "micro_f1", "macro_f1", "expected_f1"):
        clf.tune_thresholds(X[validation], Y.select(validation), objective)
        predicted = clf.predict(X[test])
        print(
            f"{objective or 'threshold 0.5':14}"
            f" micro-F1 {metrics.micro_f1(truth, predicted):.3f}"
            f" macro-F1 {metrics.macro_f1(truth, predicted):.3f}"
        )


if __name__ == "__main__":
    main()
