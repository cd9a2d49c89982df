"""X is checked once per call, however many layers it passes."""

import numpy as np
import pytest

from labeltree import HSMClassifier, PLTClassifier, TextTagger
from labeltree.data import features

X = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
Y = [["tea"], ["jam"], ["tea", "jam"]]
TEXTS = ["green tea", "plum jam", "tea with jam"]


@pytest.fixture
def checks(monkeypatch) -> list[int]:
    """Sizes of the matrices that were checked."""
    seen: list[int] = []
    rows_of = features._rows

    def counted(given):
        rows = rows_of(given)
        seen.append(rows.n_rows)
        return rows

    monkeypatch.setattr(features, "_rows", counted)
    return seen


@pytest.mark.parametrize("tree", ["auto", "blend", "kmeans", "cheapest"])
def test_fit_checks_x_once(tree: str, checks) -> None:
    PLTClassifier(tree=tree).fit(X, Y)
    assert checks == [3]


def test_a_tagger_checks_the_features_of_texts_once(checks) -> None:
    tagger = TextTagger().fit(TEXTS, Y)
    assert checks == [3]
    tagger.tag(TEXTS)  # whose rows are made here, and right
    assert checks == [3]


@pytest.mark.parametrize(
    "call",
    [
        lambda clf: clf.top_k(X, 1),
        lambda clf: clf.predict(X),
        lambda clf: clf.predict_proba(X),
        lambda clf: clf.label_proba(X, Y),
        lambda clf: clf.prediction_cost(X),
        lambda clf: clf.calibrate(X, Y),
        lambda clf: clf.partial_fit(X, Y),
        lambda clf: clf.explain(X[0]),
    ],
)
def test_every_call_checks_x_once(call, checks) -> None:
    clf = PLTClassifier().fit(X, Y)
    checks.clear()
    call(clf)
    assert len(checks) == 1


def test_classes_are_predicted_with_one_check(checks) -> None:
    clf = HSMClassifier().fit(X, ["a", "b", "a"])
    checks.clear()
    clf.predict(X)
    assert checks == [3]
