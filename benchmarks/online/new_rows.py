"""New rows for a model, and an online model finished by a batch fit: what going on is worth."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.online import streams
from labeltree import PLTClassifier
from labeltree.metrics import precision_at_k

K = 5
SHARE = 0.8  # of the rows come first


def measure_new_rows(folder: Path, seed: int = 0) -> dict[str, Any]:
    """Fit a model to four fifths of the rows, and go on with the others in several ways."""
    stream = streams.of(str(folder), None, seed)
    n = stream.X.shape[0]
    middle = int(SHARE * n)
    first = stream.X[:middle], stream.Y.select(slice(0, middle))
    later = stream.X[middle:], stream.Y.select(slice(middle, n))
    every = stream.X, stream.Y
    made: dict[str, Any] = {"data": stream.name, "first_rows": middle, "later_rows": n - middle}
    ways: dict[str, Any] = {}

    def tell(name: str, clf: PLTClassifier, work: Callable[[PLTClassifier], Any]) -> PLTClassifier:
        start = time.process_time()
        work(clf)
        seconds = time.process_time() - start
        labels, _ = clf.top_k(stream.X_test, K)
        test = [round(100 * precision_at_k(stream.Y_test, labels, k), 1) for k in (1, 3, 5)]
        ways[name] = {"cpu_s": round(seconds, 1), "test": test}
        print(stream.name, name, ways[name], flush=True)
        return clf

    base = tell("a fit to the first rows", PLTClassifier(n_jobs=1), lambda clf: clf.fit(*first))
    tell("the others by `partial_fit`", copy.deepcopy(base), lambda clf: clf.partial_fit(*later))
    warm = copy.deepcopy(base).set_params(warm_start=True)
    tell("the others by a warm `fit`", warm, lambda clf: clf.fit(*later))
    tell("a fit to all rows", PLTClassifier(n_jobs=1), lambda clf: clf.fit(*every))
    online = PLTClassifier(n_jobs=1, warm_start=True)
    tell("all rows online", online, lambda clf: clf.partial_fit(*every))
    tell('... then `retree(tree="auto")`', online, lambda clf: clf.retree(tree="auto"))
    cold = PLTClassifier(n_jobs=1, tree=online.tree_)
    tell("... then a fit on its tree", cold, lambda clf: clf.fit(*every))
    tell("... or a warm one", online, lambda clf: clf.fit(*every))
    return made | {"ways": ways}
