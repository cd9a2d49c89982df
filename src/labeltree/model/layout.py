"""Node classifiers as the flat arrays that queries read and model files hold."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Layout(NamedTuple):
    """Weights of siblings together, by feature; see core/model/weights.hpp for the arrays."""

    bias: NDArray[np.float32]  # of each node
    scale: NDArray[np.float32]  # of each node where a weight takes a byte; else empty
    shift: NDArray[np.uint8]  # of each group of siblings, like the next two
    bucket_begin: NDArray[np.int64]
    byte_begin: NDArray[np.int64]
    buckets: NDArray[np.uint32]
    bytes: NDArray[np.uint8]

    @property
    def n_bytes(self) -> int:
        """Bytes of all arrays."""
        return sum(array.nbytes for array in self)


#: What the arrays of a layout are of, as a model file says it.
LAYOUT_DTYPES = {
    "bias": "f4",
    "scale": "f4",
    "shift": "u1",
    "bucket_begin": "i8",
    "byte_begin": "i8",
    "buckets": "u4",
    "bytes": "u1",
}


class NodeWeights(NamedTuple):
    """Sparse weights of each node: those of v are at indptr[v] .. indptr[v + 1] - 1."""

    indptr: NDArray[np.int64]  # n_nodes + 1
    features: NDArray[np.int32]
    values: NDArray[np.float32]
    bias: NDArray[np.float32]  # n_nodes
