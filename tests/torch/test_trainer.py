"""Training of encoders with output layers."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="labeltree.torch needs torch")

from scipy.sparse import csr_array

from labeltree.torch import BagEncoder, TreeBCE, TreeMixture, TreeSoftmax, fit

N_CLASSES, N_FEATURES, N_ROWS = 40, 80, 800


def drawn() -> tuple[csr_array, np.ndarray]:
    """Return rows with four of the six features of their class."""
    generator = np.random.default_rng(0)
    own = [generator.choice(N_FEATURES, 6, replace=False) for _ in range(N_CLASSES)]
    classes = generator.integers(0, N_CLASSES, N_ROWS)
    X = np.zeros((N_ROWS, N_FEATURES), dtype=np.float32)
    for row, label in enumerate(classes):
        X[row, generator.choice(own[label], 4, replace=False)] = 1
    return csr_array(X), classes


def trained(X, Y, **settings):
    given = {"encoder": BagEncoder(N_FEATURES, 32), "lr": 0.02, "head_lr": 0.1, "device": "cpu"}
    return fit(X, Y, **{**given, "group_size": 8, "n_epochs": 6, "batch_size": 40, **settings})


def test_classes_are_learned_from_sparse_rows() -> None:
    X, classes = drawn()
    network = trained(X, classes, n_prototypes=2)
    assert isinstance(network.head, TreeSoftmax)
    found = network.top_k(X, 1).classes[:, 0].numpy()
    assert (found == classes).mean() > 0.95


def test_several_trees_are_trained_together() -> None:
    X, classes = drawn()
    network = trained(X, classes, n_prototypes=1, n_trees=2)
    assert isinstance(network.head, TreeMixture)
    one, other = network.head.heads
    assert one.layout.order.tolist() != other.layout.order.tolist()
    assert (network.top_k(X, 1).classes[:, 0].numpy() == classes).mean() > 0.95


@pytest.mark.parametrize("shape", [{}, {"n_head": 1, "group_size": 3, "middle_size": 2}])
def test_labels_are_learned_from_sparse_rows(shape) -> None:
    X, classes = drawn()
    ones = np.ones(N_ROWS)
    Y = csr_array((ones, (np.arange(N_ROWS), classes)), shape=(N_ROWS, N_CLASSES))
    network = trained(X, Y, **shape)
    assert isinstance(network.head, TreeBCE)
    found = network.top_k(X, 1).classes[:, 0].numpy()
    assert (found == classes).mean() > 0.95


def test_any_module_may_encode_dense_rows() -> None:
    class Encoder(torch.nn.Linear):
        n_dimensions = 32

    X, classes = drawn()
    network = trained(X.toarray(), classes, encoder=Encoder(N_FEATURES, 32), n_prototypes=1)
    assert (network.top_k(X.toarray(), 1).classes[:, 0].numpy() == classes).mean() > 0.95


def test_the_seed_determines_the_bits() -> None:
    X, classes = drawn()
    found = [
        trained(X, classes, encoder=None, n_epochs=1, batch_size=200).head.leaf for _ in range(2)
    ]
    assert torch.equal(*found)


def test_several_trees_of_labels_are_refused() -> None:
    X, classes = drawn()
    Y = csr_array((np.ones(N_ROWS), (np.arange(N_ROWS), classes)))
    with pytest.raises(
        ValueError, match=r"^n_trees must be 1 for several labels per row, but is 2$"
    ):
        trained(X, Y, n_trees=2)


def test_each_epoch_is_reported() -> None:
    X, classes = drawn()
    losses = []
    trained(X, classes, n_epochs=3, report=lambda epoch, loss: losses.append((epoch, loss)))
    assert [epoch for epoch, _ in losses] == [0, 1, 2]
    assert losses[2][1] < losses[0][1]


def test_fewer_labels_than_rows_are_refused() -> None:
    X, classes = drawn()
    with pytest.raises(ValueError, match=r"^X has 800 rows, but Y has 799$"):
        trained(X, classes[1:])


def test_labels_of_another_form_are_refused() -> None:
    with pytest.raises(TypeError, match=r"^Y must be one class number per row or a sparse matrix"):
        trained(drawn()[0], ["a"] * N_ROWS)
