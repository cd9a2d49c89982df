"""Rows on a device, in batches."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="labeltree.torch needs torch")

from scipy.sparse import random_array

from labeltree.torch.rows import Features

X = random_array((20, 50), density=0.1, format="csr", rng=np.random.default_rng(0))
CHOSEN = [3, 0, 3, 19, 7]


@pytest.mark.parametrize("path", ["plain", "kernels"])
def test_chosen_rows_have_the_numbers_of_their_lists(path, request) -> None:
    if path == "kernels":
        request.getfixturevalue("kernels")
    shuffled = Features(X, "cpu").shuffled(torch.tensor(CHOSEN))
    numbers, offsets, values = shuffled.part(1, 4)
    wanted = X[CHOSEN[1:4]]
    assert offsets.tolist() == wanted.indptr[:-1].tolist()
    assert numbers.tolist() == wanted.indices.tolist()
    np.testing.assert_array_equal(values.numpy(), wanted.data.astype(np.float32))
