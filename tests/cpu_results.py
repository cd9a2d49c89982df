"""Print hashes of what training, prediction and online learning compute, as one JSON object.

tests/test_cpu_levels.py runs this file once for each level of instructions.
"""

import json
from collections.abc import Iterator
from typing import Any

import numpy as np

from labeltree import PLTClassifier, _core, trees
from labeltree.training.checkpoint import fingerprint
from tests.estimators.few_rows import data


def results() -> Iterator[tuple[str, str]]:
    X, Y = data(n_rows=300, n_features=200, n_labels=150)
    wide = trees.star(150)  # whole tiles of siblings, and some that remain
    for loss in ("squared_hinge", "logistic"):
        for name, tree in (("cheapest", "cheapest"), ("star", wide)):
            clf = PLTClassifier(tree=tree, loss=loss, n_jobs=1).fit(X, Y)
            yield f"{loss} {name} weights", weights(clf)
            yield f"{loss} {name} predictions", fingerprint(clf.top_k(X, 10))
    yield "quantized predictions", fingerprint(clf.quantize().top_k(X, 10))
    settings: dict[str, Any] = {"feature_weighting": (0.5, 0.5), "tree": "kmeans", "n_jobs": 1}
    row_weight = np.linspace(0.1, 2.0, X.shape[0])
    scaled = PLTClassifier(**settings).fit(X, Y, sample_weight=row_weight)
    yield "weights of scaled rows", weights(scaled)
    yield (
        "weights after a warm start",
        weights(scaled.set_params(warm_start=True).fit(X[:50], Y[:50])),
    )
    full = X[:, :50] + np.linspace(0.1, 1.0, 50)  # no value is 0
    yield "weights of full rows", weights(PLTClassifier(tree="star", n_jobs=1).fit(full, Y))
    long, few = data(n_rows=60, n_features=1000, n_labels=40)  # fewer rows than features in a row
    yield "weights of long rows", weights(PLTClassifier(tree="star", n_jobs=1).fit(long, few))
    for optimizer in ("adagrad", "ftrl"):
        params = {"optimizer": optimizer, "l1": 1e-6, "l2": 1e-6}
        online = PLTClassifier(online_params=params, n_jobs=1).partial_fit(X, Y)
        yield f"{optimizer} predictions", fingerprint(online.top_k(X, 10))
        yield f"{optimizer} weights", weights(online)
    yield "checksum", str(_core.checksum(X.data.view(np.uint8), 1))


def weights(clf: PLTClassifier) -> str:
    return fingerprint(clf.model_.weights())


if __name__ == "__main__":
    print(json.dumps({"level": _core.cpu_level(), **dict(results())}))
