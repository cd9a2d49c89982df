"""CUDA graphs of output layers. What they compute is checked on a GPU by benchmarks/torch."""

import copy

import pytest

torch = pytest.importorskip("torch", reason="labeltree.torch needs torch")

from labeltree.torch import graphed

from .heads import softmax


def test_graphs_need_a_gpu() -> None:
    with pytest.raises(ValueError, match=r"^head must be on a GPU to have CUDA graphs"):
        graphed(softmax(), 8)


def test_a_copy_has_no_graphs() -> None:
    head = softmax()
    head.forward = None
    assert copy.deepcopy(head).forward.__func__ is type(head).forward
