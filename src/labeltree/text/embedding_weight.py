"""The weight of embeddings beside words, found on training texts that are held out."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from labeltree.data import targets
from labeltree.data.features import FeatureMatrix, canonical_csr
from labeltree.estimators import PLTClassifier, validation
from labeltree.metrics.ranked_hits import ranked_hits

AUTO = "auto"
MIN_TEXTS = 2000  # with fewer, the weight is 1
_MAX_FIT, _MAX_HELD = 20_000, 4000  # texts of a small fit and of its evaluation
_HELD_SHARE = 0.1
_STEP = 2.0  # between weights that are tried
_MAX_STEPS = 4  # so that weights are from 1/16 to 16
_AT = (1, 3, 5)  # k of the precisions whose mean is maximized
# What small fits need not do.
_PLAIN = {"verbose": 0, "warm_start": False, "checkpoint_dir": None, "validation_fraction": None}


def check_weight(weight: Any) -> None:
    """Raise an error if a weight is neither "auto" nor a positive number."""
    is_number = isinstance(weight, int | float | np.number) and not isinstance(weight, bool)
    if not (weight == AUTO if isinstance(weight, str) else is_number and 0 < weight < np.inf):
        raise ValueError(
            f"embedding_weight must be 'auto' or a number above 0, but is {weight!r:.40}"
        )


def weighted(X: FeatureMatrix, n_words: int, weight: float) -> FeatureMatrix:
    """Return features whose columns from `n_words` on are multiplied by the weight.

    Examples
    --------
    >>> from labeltree.data import as_features
    >>> weighted(as_features([[1.0, 1.0]]), 1, 3.0).toarray()
    array([[1., 3.]], dtype=float32)
    """
    values = np.where(X.indices >= n_words, X.data * np.float32(weight), X.data)
    return canonical_csr(X.indptr, X.indices, values, X.shape[1])


class Split:
    """Training texts of small fits, and texts that are held out from them."""

    def __init__(self, n_texts: int, seed: int) -> None:
        order = np.random.default_rng([seed, n_texts]).permutation(n_texts)
        n_held = min(round(_HELD_SHARE * n_texts), _MAX_HELD)
        self.held = np.sort(order[:n_held])
        self.rest = np.sort(order[n_held : n_held + _MAX_FIT])


def taken(rows: Any, chosen: NDArray[np.integer]) -> Any:
    """Return the chosen entries of a list, an array or a sparse matrix."""
    return rows[chosen] if hasattr(rows, "shape") else [rows[i] for i in chosen]


def find_weight(
    classifier: PLTClassifier, X: FeatureMatrix, n_words: int, tags: Any, split: Split
) -> float:
    """Return the weight with the best precision on held-out texts.

    It is doubled or halved from 1 while that helps.
    """
    small = clone(classifier).set_params(**_PLAIN, rerank=False)
    found: dict[int, float] = {}

    def precision(step: int) -> float:
        if step not in found:
            found[step] = _precision(small, weighted(X, n_words, _STEP**step), tags, split)
        return found[step]

    best = 0
    for direction in (1, -1):
        while abs(best) < _MAX_STEPS and precision(best + direction) > precision(best):
            best += direction
        if best:
            break
    return _STEP**best


def _precision(small: PLTClassifier, X: FeatureMatrix, tags: Any, split: Split) -> float:
    fitted = clone(small).fit(X[split.rest], taken(tags, split.rest))
    k = min(max(_AT), len(fitted.classes_))
    labels, _ = fitted.top_k(X[split.held], k)
    truth = targets.true_labels(taken(tags, split.held), fitted.classes_, fitted.label_kind_)
    hits = ranked_hits(truth, labels, k).hits
    return float(np.mean([hits[:, :at].sum(1).mean() / at for at in _AT]))


def seed_of(classifier: PLTClassifier) -> int:
    """Return the seed of the split."""
    return validation.as_seed(classifier.random_state)


def can_be_found(n_texts: int, weight: float | str) -> bool:
    """Return whether there are enough texts to find the weight, which is otherwise 1."""
    return weight == AUTO and n_texts >= MIN_TEXTS
