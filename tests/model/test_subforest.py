import numpy as np

from labeltree.model.calibration import Calibration
from labeltree.model.subforest import subforest
from tests.model.test_search import forest


def test_a_subforest_of_all_trees_finds_the_same() -> None:
    model, X = forest()
    same = subforest(model, range(len(model.trees)))
    np.testing.assert_array_equal(same.search(X)[0].toarray(), model.search(X)[0].toarray())


def test_a_forest_is_the_mean_of_its_subforests() -> None:
    model, X = forest()
    alone = [subforest(model, [t]).search(X)[0].toarray() for t in range(len(model.trees))]
    np.testing.assert_allclose(model.search(X)[0].toarray(), np.mean(alone, axis=0), atol=1e-6)


def test_each_tree_keeps_its_own_links() -> None:
    model, _ = forest()
    factors = [np.full(tree.n_nodes, t + 1, np.float32) for t, tree in enumerate(model.trees)]
    last = subforest(model.calibrated(Calibration(factors=factors)), [len(factors) - 1])
    assert last.calibration.factors is not None
    assert last.calibration.slope is None
    np.testing.assert_array_equal(last.calibration.factors[0], factors[-1])
