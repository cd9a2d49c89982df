"""Trained layers as classifiers of labeltree."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="labeltree.torch needs torch")

import labeltree as lt
from labeltree.torch import Layout, TreeMixture, to_classifier

from .heads import NO_HEAD, THREE, TWO, bce, rows, softmax

SINGLE = Layout(np.arange(9), 2, np.array([3, 1, 3]))
SINGLE_MIDDLE = Layout(np.arange(12), 2, np.array([3, 1, 3, 3]), np.array([1, 1, 2]))


@pytest.mark.parametrize("layout", [TWO, NO_HEAD, THREE, SINGLE, SINGLE_MIDDLE])
@pytest.mark.parametrize("bias", [False, True])
def test_a_softmax_keeps_its_probabilities(layout, bias) -> None:
    head, x = softmax(layout, bias=bias), rows()
    found = to_classifier(head).predict_proba(x.numpy())
    np.testing.assert_allclose(found, head.log_prob(x).exp().detach(), rtol=2e-4, atol=1e-7)


def test_a_mixture_keeps_its_probabilities(tmp_path) -> None:
    mixture, x = TreeMixture([softmax(TWO), softmax(THREE, bias=True)]), rows()
    to_classifier(mixture).save(tmp_path / "mixture.lt")
    found = lt.load(tmp_path / "mixture.lt").predict_proba(x.numpy())
    np.testing.assert_allclose(found, mixture.log_prob(x).exp().detach(), rtol=2e-4, atol=1e-7)


@pytest.mark.parametrize(
    "layout",
    [
        Layout.even(60, group_size=9, n_head=3),
        NO_HEAD,
        Layout.even(60, group_size=5, middle_size=4),
    ],
)
def test_labels_keep_their_probabilities(layout) -> None:
    head, x = bce(layout), rows()
    found = to_classifier(head).predict_proba(x.numpy(), threshold=0.0).toarray()
    np.testing.assert_allclose(found, head.log_prob(x).exp().detach(), rtol=2e-4, atol=1e-7)


def test_a_saved_classifier_predicts_the_same(tmp_path) -> None:
    head, x = softmax(), rows().numpy()
    names = [f"class {i}" for i in range(60)]
    to_classifier(head, classes=names).save(tmp_path / "head.lt")
    opened = lt.load(tmp_path / "head.lt")
    assert opened.predict(x).tolist() == [names[i] for i in head.predict(torch.tensor(x))]


def test_several_prototypes_are_refused() -> None:
    with pytest.raises(ValueError, match=r"must have one prototype per group, but has 2"):
        to_classifier(softmax(n_prototypes=2))


def test_a_root_with_one_child_is_refused() -> None:
    with pytest.raises(ValueError, match=r"must have at least two children, but has 1"):
        to_classifier(bce(Layout.even(60)))


def test_a_group_alone_below_its_middle_node_is_refused() -> None:
    with pytest.raises(ValueError, match=r"must have at least two groups, but one has 1"):
        to_classifier(bce(SINGLE_MIDDLE))


def test_a_label_alone_in_its_group_is_refused() -> None:
    with pytest.raises(ValueError, match=r"must have at least two labels, but one has 1"):
        to_classifier(bce(SINGLE))
