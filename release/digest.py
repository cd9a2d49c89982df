"""Print the digest of a small model, which must not depend on compiler, processor or threads.

python release/digest.py
"""

import hashlib

import numpy as np
from scipy import sparse

from labeltree import PLTClassifier


def digest() -> str:
    """Train on made-up rows and return the SHA-256 of the weights of all nodes."""
    rng = np.random.default_rng(0)
    X = sparse.csr_array((rng.random((3000, 200)) < 0.1).astype(np.float32))
    Y = sparse.csr_array((rng.random((3000, 120)) < 0.02).astype(np.float32))
    model = PLTClassifier(random_state=0).fit(X, Y).model_
    found = hashlib.sha256()
    for layout in model.layouts:
        for array in layout:
            found.update(np.ascontiguousarray(array).tobytes())
    return found.hexdigest()


if __name__ == "__main__":
    print(digest())
