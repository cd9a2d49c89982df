import numpy as np

from labeltree.data import as_features, as_labels
from labeltree.training.loss_weights import NodeCounts
from labeltree.training.nodes import make_trainer
from labeltree.training.path_pairs import path_pairs
from labeltree.training.solver_settings import SolverSettings
from labeltree.trees import huffman


def labels(n_rows: int = 60, n_labels: int = 12):
    rng = np.random.default_rng(0)
    Y = (rng.random((n_rows, n_labels)) < 0.2).astype(np.uint8)
    Y[np.arange(n_rows), np.arange(n_rows) % n_labels] = 1
    return as_labels(Y)


def test_pairs_are_those_that_the_trainer_counts() -> None:
    rows = labels()
    tree = huffman(np.arange(1.0, 13.0))
    X = as_features(np.ones((rows.n_rows, 1), np.float32))
    held = np.arange(0, rows.n_rows, 3, dtype=np.int32)
    trainer = make_trainer(tree, X, rows, SolverSettings(), held=held)
    assert len(path_pairs(tree, rows.select(held)).node) == trainer.n_held_pairs


def test_pairs_have_the_numbers_of_held_scores() -> None:
    rows = labels()
    tree = huffman(np.arange(1.0, 13.0))
    # Each row has a feature of its own, so that its score is that of an unknown row: the intercept.
    X = as_features(np.eye(rows.n_rows, dtype=np.float32))
    held = np.arange(0, rows.n_rows, 3, dtype=np.int32)
    trainer = make_trainer(tree, X, rows, SolverSettings(), held=held)
    part = trainer.train(0, len(trainer.costs()), 1)
    pairs = path_pairs(tree, rows.select(held))
    node = pairs.node[part[8]]
    for v in np.unique(node):
        assert np.ptp(part[9][node == v]) < 1e-6


def test_positive_pairs_add_up_to_the_positive_rows_of_nodes() -> None:
    rows = labels()
    tree = huffman(np.arange(1.0, 13.0))
    pairs = path_pairs(tree, rows)
    n_positive = np.bincount(pairs.node[pairs.is_positive], minlength=tree.n_nodes)
    expected = NodeCounts.of(tree, rows, None).positive
    np.testing.assert_array_equal(n_positive[1:], expected[1:])


def test_rows_without_labels_have_no_pairs() -> None:
    rows = as_labels(np.zeros((3, 4), np.uint8))
    assert not len(path_pairs(huffman(np.ones(4)), rows).row)
