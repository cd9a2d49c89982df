"""river's own checks, if river is installed."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import islice
from typing import Any
from unittest import mock

import pytest

pytest.importorskip("river")

from river import datasets
from river.checks import yield_checks

from labeltree.online.river import TreeClassifier, TreeTagger, hashed_row


class SimulatedMusic:
    """Rows like those of river's multi-label data set, which would need a download."""

    def take(self, n_rows: int) -> Iterator[Any]:
        return islice(self, n_rows)

    def __iter__(self) -> Iterator[Any]:
        draw = random.Random(0)
        while True:
            x = {f"tone {i}": draw.random() for i in range(10)}
            yield x, {"loud": x["tone 1"] > 0.5, "sad": x["tone 2"] > x["tone 3"], "slow": False}


def checks(kind: Any) -> list[Any]:
    with mock.patch.object(datasets, "Music", SimulatedMusic):
        return list(yield_checks(kind()))


@pytest.mark.filterwarnings("ignore")  # from river and its data sets
@pytest.mark.parametrize(
    ("kind", "check"),
    [
        pytest.param(kind, check, id=f"{kind.__name__}-{i}-{check.__name__}")
        for kind in (TreeClassifier, TreeTagger)
        for i, check in enumerate(checks(kind))
    ],
)
def test_river_check(kind, check) -> None:
    check(kind())


def test_probabilities_of_classes_sum_to_one() -> None:
    model = TreeClassifier()
    for i in range(20):
        model.learn_one({"x": 1.0, i % 5: 1.0}, i % 5)
    assert sum(model.predict_proba_one({"x": 1.0}).values()) == pytest.approx(1.0)


def test_k_limits_the_number_of_labels() -> None:
    model = TreeTagger(k=1)
    model.learn_one({"x": 1.0}, {"a": True, "b": False})
    assert list(model.predict_one({"x": 1.0})) == ["a"]


def test_nothing_is_predicted_before_the_first_row() -> None:
    assert TreeClassifier().predict_one({"x": 1.0}) is None


def test_nan_is_refused() -> None:
    with pytest.raises(ValueError, match="feature 'x' must be finite, but is nan"):
        hashed_row({"x": float("nan")}, 10, normalize=True)
