"""Weights laid out for searches."""

import numpy as np
import pytest

from labeltree import _core, trees
from labeltree.model.layout import Layout
from labeltree.model.model import Model


@pytest.mark.parametrize("n_features", [256, 257, 70_000])
@pytest.mark.parametrize("n_weights", [10, 200])
def test_features_ascend_in_whatever_order_they_are_added(n_features, n_weights) -> None:
    tree, rng = trees.star(3), np.random.default_rng(0)
    draws = (rng.choice(n_features - 1, n_weights, replace=False) for _ in range(3))
    drawn = [features.astype(np.int32) for features in draws]
    drawn[0][5] = n_features - 1
    values = rng.random((3, n_weights), np.float32)
    is_trained = np.array([0, 1, 1, 1], np.uint8)
    builder = _core.LayoutBuilder(tree._native, n_features, is_trained, 0.0, 4)
    nodes, indptr = np.array([1, 2, 3], np.int32), n_weights * np.arange(4)
    builder.add(nodes, indptr, np.concatenate(drawn), values.ravel(), np.zeros(3, np.float32))
    weights = Model([tree], [Layout(*builder.finish())], "logistic", n_features, False).weights()
    order = [np.argsort(features, kind="stable") for features in drawn]
    np.testing.assert_array_equal(
        weights.features, np.concatenate([f[o] for f, o in zip(drawn, order, strict=True)])
    )
    np.testing.assert_array_equal(
        weights.values, np.concatenate([v[o] for v, o in zip(values, order, strict=True)])
    )
