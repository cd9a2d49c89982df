"""Searches of a fitted estimator, for rows that are checked."""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from labeltree.calibration.decisions import Found, decide
from labeltree.data.features import FeatureMatrix
from labeltree.estimators.fitted import FittedAttributes
from labeltree.estimators.label_subsets import Subset
from labeltree.estimators.state import FittedState
from labeltree.threads import n_threads

#: Nodes that each of many rows evaluates at a time (see Model.search); measured on tib-gnd.
NODES_PER_STEP = 8


class SearchMixin(FittedAttributes):
    """Labels of rows, best first."""

    threshold: float

    def _ranked(
        self,
        features: FeatureMatrix,
        k: int | None,
        threshold: float | None,
        *,
        subset: Subset | None = None,
        beam: int | None = None,
    ) -> list[list[tuple[Any, float]]]:
        """Return labels and probabilities of checked rows, best first."""
        state = self._fitted
        found, _ = self._search(state, features, k, threshold, subset=subset, beam=beam)
        names = state.model_classes[found.indices].tolist()
        pairs = list(zip(names, found.data.tolist(), strict=True))
        return [pairs[first:last] for first, last in pairwise(found.indptr.tolist())]

    def _ranked_row(
        self,
        indices: NDArray[np.int32],
        values: NDArray[np.float32],
        k: int,
        threshold: float | None,
        *,
        subset: Subset | None = None,
    ) -> list[tuple[Any, float]]:
        """Return what `_ranked` does for one row, with the lowest overhead."""
        state = self._fitted
        model, classes = state.model, state.model_classes
        k = min(k, len(classes))
        limits = None if subset is None else state.weighted_subset_limits(subset)
        labels, found = model.top_k_row(
            indices, values, k, limits=limits, scaling=state.row_scaling
        )
        least = 0.0 if threshold is None else threshold
        kept = (labels >= 0) & (found >= np.float32(least))
        return list(zip(classes[labels[kept]].tolist(), found[kept].tolist(), strict=True))

    def _decide(
        self, state: FittedState, features: FeatureMatrix, threshold: float | None, **options: Any
    ) -> Found:
        """Return the labels of `predict`, best first, and classifiers evaluated per row."""
        if threshold is not None or state.model.calibration.objective is None:
            minimum = self.threshold if threshold is None else threshold
            return self._search(state, features, None, minimum, **options)
        search = partial(self._search, state, by_weight=False, **options)
        return decide(state.model.calibration, search, features)

    def _search(
        self,
        state: FittedState,
        features: FeatureMatrix,
        k: int | None,
        threshold: float | None,
        *,
        subset: Subset | None = None,
        by_weight: bool = True,
        **options: Any,
    ) -> Found:
        """Return probabilities, best first in each row, and classifiers evaluated per row."""
        if subset is not None:
            is_weighted = by_weight and k is not None
            limits = state.weighted_subset_limits if is_weighted else state.subset_limits
            options["limits"] = limits(subset)
        return state.model.search(
            features,
            k=k,
            threshold=0.0 if threshold is None else threshold,
            by_weight=by_weight,
            scaling=state.row_scaling,
            n_threads=n_threads(self.n_jobs),
            **{"nodes_per_step": NODES_PER_STEP} | options,
        )


def is_one_row(state: FittedState, X: Any) -> bool:
    """Return whether X can be searched as it is, by the method with the lowest overhead."""
    return (
        type(X) in (sparse.csr_array, sparse.csr_matrix)
        and X.shape == (1, state.n_features)
        and X.data.dtype == np.float32
        and X.indices.dtype == np.int32
        and X.has_canonical_format
        and state.feature_names is None
    )
