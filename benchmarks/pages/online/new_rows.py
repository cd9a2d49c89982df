"""New rows for a trained model, and an online model finished by a batch fit."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.pages.online import streams
from benchmarks.rows import cpu_timed, percent_at
from labeltree import PLTClassifier

K = 5
SHARE = 0.8  # share of the rows that come first


class Ways:
    """Models and their accuracy on test rows."""

    def __init__(self, stream: streams.Stream) -> None:
        self._stream = stream
        self.found: dict[str, Any] = {}

    def record(
        self, name: str, clf: PLTClassifier, work: Callable[[PLTClassifier], Any]
    ) -> PLTClassifier:
        """Do the work and record its time and the accuracy that results."""
        seconds, _ = cpu_timed(lambda: work(clf))
        labels, _ = clf.top_k(self._stream.X_test, K)
        test = percent_at(self._stream.Y_test, labels)
        self.found[name] = {"cpu_s": round(seconds, 1), "test": test}
        return clf


def measure_new_rows(folder: Path, seed: int = 0) -> dict[str, Any]:
    """Fit a model to four fifths of the rows, and continue with the others in several ways."""
    stream = streams.of(str(folder), None, seed)
    n = stream.X.shape[0]
    middle = int(SHARE * n)
    first = stream.X[:middle], stream.Y.select(slice(0, middle))
    later = stream.X[middle:], stream.Y.select(slice(middle, n))
    ways = Ways(stream)
    base = ways.record("a fit to the first rows", _model(), lambda clf: clf.fit(*first))
    ways.record("the others by `partial_fit`", copy.deepcopy(base), lambda c: c.partial_fit(*later))
    warm = copy.deepcopy(base).set_params(warm_start=True)
    ways.record("the others by a warm `fit`", warm, lambda clf: clf.fit(*later))
    ways.record("a fit to all rows", _model(), lambda clf: clf.fit(stream.X, stream.Y))
    unseen = set(later[1].indices.tolist()) - set(first[1].indices.tolist())
    later_on = f"{n - middle:,} later with {len(unseen):,} new labels"
    title = f"{stream.name}: {middle:,} rows first, {later_on}"
    return {"data": stream.name, "title": title, "ways": ways.found}


def measure_finish(folder: Path, seed: int = 0) -> dict[str, Any]:
    """Learn all rows online, and finish the model by a batch fit."""
    stream = streams.of(str(folder), None, seed)
    rows = stream.X, stream.Y
    ways = Ways(stream)
    online = ways.record("all rows online", _model(), lambda clf: clf.partial_fit(*rows))
    ways.record(
        'then `rebuild_tree(tree="auto")`', online, lambda clf: clf.rebuild_tree(tree="auto")
    )
    cold = PLTClassifier(n_jobs=1, tree=online.tree_)
    ways.record("then a fit on its tree", cold, lambda clf: clf.fit(*rows))
    online.set_params(warm_start=True)
    ways.record("or a warm fit", online, lambda clf: clf.fit(*rows))
    title = f"{stream.name}: an online model, finished"
    return {"data": stream.name, "title": title, "ways": ways.found}


def _model() -> PLTClassifier:
    return PLTClassifier(n_jobs=1)
