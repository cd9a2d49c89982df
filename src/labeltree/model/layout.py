"""Node classifiers as flat arrays, which searches read and model files store."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Layout(NamedTuple):
    """Weights grouped by siblings and then by feature; see core/model/weights.hpp."""

    bias: NDArray[np.float32]  # of each node
    scale: NDArray[np.float32]  # of each node if weights are integers; else empty
    shift: NDArray[np.uint8]  # of each group of siblings, as are the next two arrays
    bucket_begin: NDArray[np.int64]
    byte_begin: NDArray[np.int64]
    buckets: NDArray[np.uint32]
    bytes: NDArray[np.uint8]
    weight_bytes: NDArray[np.uint8]  # one number: 4 for float32, 2 or 1 for integers

    @property
    def n_bytes(self) -> int:
        """Size of all arrays in bytes."""
        return sum(array.nbytes for array in self)


#: Data types of the arrays of a layout, as model files name them.
LAYOUT_DTYPES = {
    "bias": "f4",
    "scale": "f4",
    "shift": "u1",
    "bucket_begin": "i8",
    "byte_begin": "i8",
    "buckets": "u4",
    "bytes": "u1",
    "weight_bytes": "u1",
}


class NodeWeights(NamedTuple):
    """Sparse weights of each node: those of node v are at indptr[v] .. indptr[v + 1] - 1."""

    indptr: NDArray[np.int64]  # n_nodes + 1
    features: NDArray[np.int32]
    values: NDArray[np.float32]
    bias: NDArray[np.float32]  # n_nodes
