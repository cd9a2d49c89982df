"""Predict the next item of a session: one class per row, and as many classes as items.

python examples/next_item.py
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from labeltree import HSMClassifier

N_ITEMS, N_SESSIONS, LENGTH = 500, 3000, 8
SEEN = 3  # items before the next one that the features hold


def sessions(seed: int) -> np.ndarray:
    """Return sessions of visitors that mostly go from an item to one of its five neighbors."""
    rng = np.random.default_rng(seed)
    neighbors = np.random.default_rng(0).integers(N_ITEMS, size=(N_ITEMS, 5))
    found = np.empty((N_SESSIONS, LENGTH), np.int64)
    found[:, 0] = rng.integers(N_ITEMS, size=N_SESSIONS)
    for i in range(1, LENGTH):
        near = neighbors[found[:, i - 1], np.minimum(rng.geometric(0.5, N_SESSIONS) - 1, 4)]
        strays = rng.random(N_SESSIONS) < 0.1
        found[:, i] = np.where(strays, rng.integers(N_ITEMS, size=N_SESSIONS), near)
    return found


def examples(found: np.ndarray) -> tuple[sparse.csr_array, np.ndarray]:
    """Return a row for each place in a session: its last items, the latest with the most weight."""
    windows = np.lib.stride_tricks.sliding_window_view(found, SEEN + 1, axis=1)
    items = windows.reshape(-1, SEEN + 1)
    weights = np.tile(0.5 ** np.arange(SEEN)[::-1], len(items)).astype(np.float32)
    places = np.repeat(np.arange(len(items)), SEEN)
    X = sparse.coo_array((weights, (places, items[:, :-1].ravel())), (len(items), N_ITEMS))
    return sparse.csr_array(X), items[:, -1]


def main() -> None:
    """Compare the five most probable items with the five most popular ones."""
    X, y = examples(sessions(1))
    X_test, y_test = examples(sessions(2))
    clf = HSMClassifier().fit(X, y)
    labels, _ = clf.top_k(X_test, k=5)
    popular = np.argsort(-np.bincount(y, minlength=N_ITEMS))[:5]
    for name, found in (("most popular", np.broadcast_to(popular, (len(y_test), 5))),
                        ("HSMClassifier", clf.classes_[labels])):  # fmt: skip
        hits = found == y_test[:, None]
        print(f"{name:14} accuracy {hits[:, 0].mean():.3f}, among five {hits.any(1).mean():.3f}")


if __name__ == "__main__":
    main()
