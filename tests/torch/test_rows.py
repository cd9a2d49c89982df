"""Rows on a device, in batches."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="labeltree.torch needs torch")

from scipy.sparse import random_array

from labeltree.torch.rows import Features, Order

X = random_array((20, 50), density=0.1, format="csr", rng=np.random.default_rng(0))
CHOSEN = [3, 0, 3, 19, 7]


@pytest.mark.parametrize("path", ["plain", "kernels"])
def test_chosen_rows_have_the_numbers_of_their_lists(path, request) -> None:
    if path == "kernels":
        request.getfixturevalue("kernels")
    numbers, offsets, values = Features(X, "cpu").take(torch.tensor(CHOSEN))
    wanted = X[CHOSEN]
    assert offsets.tolist() == wanted.indptr[:-1].tolist()
    assert numbers.tolist() == wanted.indices.tolist()
    np.testing.assert_array_equal(values.numpy(), wanted.data.astype(np.float32))


def test_a_part_of_an_order_is_the_part_on_both_sides() -> None:
    part = Order.of(torch.tensor(CHOSEN), "cpu")[1:3]
    assert (part.here.tolist(), part.there.tolist()) == ([0, 3], [0, 3])
