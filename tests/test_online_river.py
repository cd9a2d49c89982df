"""river's own checks, where river is installed."""

from __future__ import annotations

import pytest

pytest.importorskip("river")

from river.checks import yield_checks

from labeltree.online.river import TreeClassifier, TreeTagger, hashed_row


@pytest.mark.filterwarnings("ignore")  # river's and its data sets' own
@pytest.mark.parametrize(
    ("kind", "check"),
    [
        pytest.param(kind, check, id=f"{kind.__name__}-{i}-{check.__name__}")
        for kind in (TreeClassifier, TreeTagger)
        for i, check in enumerate(yield_checks(kind()))
    ],
)
def test_river_check(kind, check) -> None:
    check(kind())


def test_probabilities_of_classes_sum_to_one() -> None:
    model = TreeClassifier()
    for i in range(20):
        model.learn_one({"x": 1.0, i % 5: 1.0}, i % 5)
    assert sum(model.predict_proba_one({"x": 1.0}).values()) == pytest.approx(1.0)


def test_top_k_limits_the_answer() -> None:
    model = TreeTagger(top_k=1)
    model.learn_one({"x": 1.0}, {"a": True, "b": False})
    assert list(model.predict_one({"x": 1.0})) == ["a"]


def test_nothing_is_answered_before_the_first_row() -> None:
    assert TreeClassifier().predict_one({"x": 1.0}) is None


def test_nan_is_refused() -> None:
    with pytest.raises(ValueError, match="feature 'x' must be finite, but is nan"):
        hashed_row({"x": float("nan")}, 10, normalize=True)
