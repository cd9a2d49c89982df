"""Methods of estimators that count what predictions cost."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labeltree.arguments import checked
from labeltree.estimators.label_subsets import as_subset
from labeltree.estimators.searching import SearchMixin
from labeltree.explain.prediction_cost import cost_bound


class PredictionCostMixin(SearchMixin):
    """The number of node classifiers that predictions evaluate, and its bound."""

    @checked
    def prediction_cost(
        self,
        X: Any,
        k: int | None = None,
        threshold: float | None = None,
        *,
        labels: Sequence[Hashable] | None = None,
        exclude_labels: Sequence[Hashable] | None = None,
    ) -> NDArray[np.int64]:
        """Return the number of node classifiers evaluated per row; by default for `predict`."""
        state = self._fitted
        features = self._checked(state, X)
        options: dict[str, Any] = {
            "subset": as_subset(labels, exclude_labels),
            "nodes_per_step": 1,
        }
        if k is None and threshold is None:
            if state.label_kind != "classes":
                return self._decide(state, features, None, **options)[1]
            k = 1
        return self._search(state, features, k, threshold, **options)[1]

    @checked
    def prediction_cost_bound(self, X: Any, threshold: float | None = None) -> NDArray[np.int64]:
        """Return the maximum number of node classifiers evaluated per row, by Theorem 6.

        `prediction_cost` with the same threshold returns the actual number. The bound is
        1 + ⌊P̂/τ⌋·depth·degree, where P̂ is the sum of the probabilities of all labels of a row,
        normalized as in `labeltree.bounds.normalized_products`. A search without normalization
        never evaluates more nodes, so the bound holds for it, too. Computing the bound evaluates
        all nodes: pass a sample of your rows.

        Parameters
        ----------
        X
            Features of the rows.
        threshold
            τ, greater than 0; the threshold of `predict` if None.

        Examples
        --------
        >>> from labeltree import PLTClassifier
        >>> clf = PLTClassifier().fit([[1, 0], [0, 1], [1, 1]], [["tea"], ["jam"], ["tea", "jam"]])
        >>> clf.prediction_cost([[1, 0]]) <= clf.prediction_cost_bound([[1, 0]])
        array([ True])
        """
        thresholds = self.thresholds_
        default = self.threshold if thresholds is None else float(thresholds.min())
        tau = default if threshold is None else threshold
        return cost_bound(self.model_, self._query(X), tau)
