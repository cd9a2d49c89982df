"""Eight threads give what one gives. `make tsan` runs these tests under ThreadSanitizer."""

import threading

import numpy as np
import pytest

from labeltree import PLTClassifier, _core, trees
from labeltree.training.checkpoint import fingerprint
from tests.estimators.few_rows import data

X, Y = data(n_rows=300, n_features=100, n_labels=120)
THREADS = [1, 8]


def same(results: list[str]) -> bool:
    return results[0] == results[1]


def weights(clf: PLTClassifier) -> str:
    return fingerprint(clf.model_.weights())


@pytest.mark.parametrize("loss", ["squared_hinge", "logistic"])
@pytest.mark.parametrize("tree", ["cheapest", "kmeans", "star"])
def test_training(loss, tree) -> None:
    trained = [PLTClassifier(tree=tree, loss=loss, n_jobs=n).fit(X, Y) for n in THREADS]
    assert same([weights(clf) for clf in trained])


@pytest.mark.parametrize("query", [{"k": 5}, {"k": 5, "beam": 3}])
@pytest.mark.parametrize("n_trees", [1, 2])
def test_search(query, n_trees) -> None:
    if n_trees == 2 and "beam" in query:
        pytest.skip("a beam is for one tree")
    clf = PLTClassifier(tree="kmeans", n_trees=n_trees, n_jobs=1).fit(X, Y)
    assert same([fingerprint(clf.set_params(n_jobs=n).top_k(X, **query)) for n in THREADS])


@pytest.mark.parametrize("optimizer", ["adagrad", "ftrl"])
def test_online_learning(optimizer) -> None:
    learned = []
    for n in THREADS:
        clf = PLTClassifier(online_params={"optimizer": optimizer}, n_jobs=n)
        for first in range(0, 300, 60):
            clf.partial_fit(X[first : first + 60], Y[first : first + 60])
        clf.rebuild_tree(X, Y)
        learned.append(weights(clf) + fingerprint(clf.top_k(X, 5)))
    assert same(learned)


def test_trees() -> None:
    for build in (trees.kmeans, trees.blend):
        made = [build(X, Y, n_jobs=n) for n in THREADS]
        assert made[0].to_nested() == made[1].to_nested()


def test_checksum() -> None:
    content = np.arange(1_000_000, dtype=np.int64).view(np.uint8)
    assert same([str(_core.checksum(content, n)) for n in THREADS])


def test_prediction_from_eight_python_threads() -> None:
    clf = PLTClassifier(tree="cheapest", n_jobs=8).fit(X, Y)
    expected = fingerprint(clf.top_k(X, 5))
    found: list[str] = []
    asking = [
        threading.Thread(target=lambda: found.append(fingerprint(clf.top_k(X, 5))))
        for _ in range(8)
    ]
    for thread in asking:
        thread.start()
    for thread in asking:
        thread.join()
    assert found == [expected] * 8
