import numpy as np
import pytest

from labeltree import LabelTree
from labeltree.data import LabelRows, as_labels
from labeltree.model import Model
from labeltree.training.nodes import make_trainer, train_nodes
from labeltree.training.rankers import find_candidates, train_rankers
from labeltree.training.solver_settings import SolverSettings
from tests.reference import training as reference
from tests.reference.rankers import rows_of_ranker
from tests.training.test_nodes import EXACT, TREE, dense, problem


def random_candidates(n_rows: int, n_labels: int) -> LabelRows:
    rng = np.random.default_rng(5)
    return as_labels((rng.random((n_rows, n_labels)) < 0.4).astype(np.uint8))


def sets_of(rows: LabelRows) -> list[set[int]]:
    return [set(rows.row(i).tolist()) for i in range(rows.n_rows)]


@pytest.mark.parametrize("tree", [TREE, LabelTree.from_nested([0, 1, 2, 3, 4, 5])])
def test_every_ranker_has_the_weights_that_minimize_its_objective(tree) -> None:
    X, Y = problem()
    candidates = random_candidates(Y.n_rows, Y.n_labels)
    weight = np.random.default_rng(1).uniform(0.5, 2.0, Y.n_rows).astype(np.float32)
    settings = SolverSettings(C=0.7, C_decay=(0.0, 0.0), pos_neg_weight=(2.0, 0.5), **EXACT)
    layout = train_nodes(tree, X, Y, settings, sample_weight=weight, candidates=candidates).layout
    trained = Model([tree], [layout], "logistic", X.shape[1], has_root=True).weights()
    for label in range(Y.n_labels - 1):  # the last one has no positive rows
        positive, negative = rows_of_ranker(label, sets_of(Y), sets_of(candidates))
        rows = positive + negative
        y = np.array([1.0] * len(positive) + [-1.0] * len(negative))
        c = 0.7 * weight[rows] * np.where(y > 0, 2.0, 0.5)
        w, bias = reference.fit_node(X[rows].toarray(), y, c, "squared_hinge", 1.0)
        leaf = tree.leaf(label)
        assert dense(trained, X.shape[1])[leaf] == pytest.approx(w, abs=2e-3)
        assert trained.bias[leaf] == pytest.approx(bias, abs=2e-3)


def test_rankers_are_the_same_for_any_number_of_threads() -> None:
    X, Y = problem(n_rows=300, n_labels=40)
    tree = LabelTree.from_nested([list(range(first, first + 5)) for first in range(0, 40, 5)])
    candidates = random_candidates(Y.n_rows, Y.n_labels)
    one, four = (
        train_nodes(tree, X, Y, SolverSettings(), n_threads=n, candidates=candidates).layout
        for n in (1, 4)
    )
    assert all(np.array_equal(a, b) for a, b in zip(one, four, strict=True))


def test_inner_nodes_have_no_ranker() -> None:
    X, Y = problem()
    trainer = make_trainer(
        TREE, X, Y, SolverSettings(), candidates=random_candidates(Y.n_rows, Y.n_labels)
    )
    trained = np.flatnonzero(trainer.is_trained())
    assert set(TREE.label[trained]) == set(range(Y.n_labels - 1))


@pytest.mark.parametrize(
    ("indptr", "indices", "message"),
    [
        ([0, 1], [0], "labels and candidates must have equally many rows"),
        ([0] * 60 + [1], [6], "label 6 is outside 0..5"),
        ([0] * 60 + [1], [-1], "label -1 is outside 0..5"),
        ([0] * 60 + [2], [1], "indptr must start with 0 and end with the number"),
    ],
)
def test_candidates_that_do_not_fit_are_refused(indptr, indices, message) -> None:
    X, Y = problem()
    odd = LabelRows(np.array(indptr, np.int64), np.array(indices, np.int32), Y.n_labels)
    with pytest.raises(ValueError, match=message):
        make_trainer(TREE, X, Y, SolverSettings(), candidates=odd)


def test_rows_are_not_held_back_from_rankers() -> None:
    X, Y = problem()
    options = {"candidates": random_candidates(Y.n_rows, Y.n_labels), "held": np.array([3], "i4")}
    with pytest.raises(ValueError, match="no rows are held back where rankers are trained"):
        make_trainer(TREE, X, Y, SolverSettings(), **options)


def trained_model(X, Y) -> Model:
    layout = train_nodes(TREE, X, Y, SolverSettings()).layout
    return Model([TREE], [layout], "squared_hinge", X.shape[1], has_root=True)


def test_candidates_are_the_most_probable_labels() -> None:
    X, Y = problem()
    model = trained_model(X, Y)
    found = find_candidates(model, X, Y, n_threads=1, k=2)
    expected = np.argsort(-model.search(X)[0].toarray(), axis=1)[:, :2]
    assert sets_of(found) == [set(labels) for labels in expected.tolist()]


def test_candidates_do_not_depend_on_rankers() -> None:
    X, Y = problem()
    model = trained_model(X, Y)
    ranked = model.with_rankers(train_rankers(model, X, Y, SolverSettings()))
    plain, again = (find_candidates(one, X, Y, n_threads=1, k=2) for one in (model, ranked))
    assert np.array_equal(plain.indices, again.indices)


def test_the_first_tree_of_a_forest_finds_the_candidates() -> None:
    X, Y = problem()
    first, other = trained_model(X, Y), LabelTree.from_nested([5, 4, 3, 2, 1, 0])
    layout = train_nodes(other, X, Y, SolverSettings()).layout
    both = Model(
        [TREE, other], [*first.layouts, layout], "squared_hinge", X.shape[1], has_root=True
    )
    alone, found = (find_candidates(model, X, Y, n_threads=1, k=2) for model in (first, both))
    assert sets_of(found) == sets_of(alone)
