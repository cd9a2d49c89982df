"""Feature counts and the estimates based on them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labeltree import LabelTree, _core
from labeltree.data import as_features, as_labels
from labeltree.planning.resources import RATES, FeatureCounts, active_features, estimate
from tests.reference import planning as reference

NESTED = [[0, 1], 2]
TREE = LabelTree.from_nested(NESTED)


def dense(features: list[set[int]], n_features: int = 6) -> np.ndarray:
    return np.array([[float(f in own) for f in range(n_features)] for own in features])


def test_inner_nodes_count_the_features_of_their_rows() -> None:
    X = FeatureCounts.of(as_features(dense([{0, 1}, {1, 2}, {5}])))
    rows = as_labels([[0], [1], [2]], n_labels=3)
    assert active_features(TREE, rows, X).tolist() == [4, 3, 0, 0, 0]


def test_rows_without_labels_reach_no_inner_node() -> None:
    X = FeatureCounts.of(as_features(dense([{0}, {1, 2}])))
    rows = as_labels([[0], []], n_labels=3)
    assert active_features(TREE, rows, X).tolist() == [1, 1, 0, 0, 0]


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(st.sets(st.integers(0, 5)), st.sets(st.integers(0, 5))), min_size=1, max_size=8
    )
)
def test_weights_equal_the_reference(pairs: list[tuple[set[int], set[int]]]) -> None:
    nested = [[0, [1, 2, 3]], [4, 5]]
    labels, features = [row for row, _ in pairs], [own for _, own in pairs]
    tree = LabelTree.from_nested(nested)
    rows = as_labels([sorted(row) for row in labels], n_labels=6)
    X = FeatureCounts.of(as_features(dense(features)))
    resources = estimate(tree, rows, X)
    weights = resources.model_bytes / RATES.bytes_per_weight
    assert weights == reference.n_weights(nested, labels, features)


def test_sampled_features_are_scaled_up() -> None:
    ones = np.ones((3, 4000))
    ones[1] = 0.0
    X = FeatureCounts.of(as_features(ones))
    rows = as_labels([[0], [1], [1]], n_labels=2)
    tree = LabelTree.from_nested([0, 1])
    counted = active_features(tree, rows, X, max_entries=4000)
    assert counted[0] != 4000
    assert counted[0] == pytest.approx(4000, rel=0.1)  # 7 standard deviations


def test_estimates_are_products_of_rows_pairs_and_features() -> None:
    X = FeatureCounts.of(as_features(dense([{0, 1}, {1, 2}])))
    rows = as_labels([[0], [2]], n_labels=3)  # costs 5 and 3 at two inner nodes and one
    resources = estimate(TREE, rows, X)
    nanoseconds = 2 * (3 * RATES.train_row_ns + 8 * RATES.train_pair_ns)
    assert resources.training_seconds == pytest.approx(nanoseconds * 1e-9)


def test_different_numbers_of_rows_are_refused() -> None:
    zero = np.zeros(1, np.int64)
    none = np.zeros(0, np.int32)
    with pytest.raises(ValueError, match="X and Y must have equally many rows, but have 0 and 1"):
        _core.active_features(TREE._native, np.array([0, 0]), none, zero, none, 5)


@pytest.mark.parametrize("feature", [-1, 2])
def test_features_outside_the_matrix_are_refused(feature: int) -> None:
    one = np.array([0, 1])
    with pytest.raises(ValueError, match=r"is outside 0\.\.1"):
        _core.active_features(
            TREE._native,
            one,
            np.zeros(1, np.int32),
            one,
            np.array([feature], np.int32),
            2,
        )
