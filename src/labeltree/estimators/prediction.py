"""Prediction methods of estimators."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import pairwise
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from labeltree.arguments import check_integer, check_padding, checked
from labeltree.data import targets
from labeltree.estimators.explaining import explain_prediction
from labeltree.estimators.label_subsets import as_subset, label_limits
from labeltree.estimators.output import (
    Indicator,
    Probabilities,
    check_size,
    dense_probabilities,
    divide_by_sums,
    indicator,
    is_dense,
    padded_table,
)
from labeltree.estimators.prediction_cost import PredictionCostMixin
from labeltree.estimators.searching import is_one_row
from labeltree.explain.explanation import Explanation
from labeltree.model.calibration import ONE
from labeltree.model.interface import check_query
from labeltree.threads import n_threads


class PredictionMixin(PredictionCostMixin):
    """Labels, probabilities, costs and explanations of rows."""

    normalize_proba: bool | str
    sparse_output: bool | str
    threshold: float

    @checked
    def predict(
        self,
        X: Any,
        threshold: float | None = None,
        *,
        labels: Sequence[Hashable] | None = None,
        exclude_labels: Sequence[Hashable] | None = None,
    ) -> NDArray[Any] | Indicator:
        """Return the labels of each row.

        Parameters
        ----------
        X
            Features of the rows.
        threshold
            Minimum probability of a label, for this call. None uses the thresholds of
            `tune_thresholds`, or else the `threshold` of the estimator.
        labels, exclude_labels
            As in `top_k`.

        Returns
        -------
        array or csr_array
            If Y had one class per row, the most probable class of each row. Otherwise a 0/1
            indicator of the predicted labels: an int64 array if Y was dense, a csr_array of uint8
            if Y was sparse or label lists (see `sparse_output`). See `predict_labels` for labels by
            name.
        """
        state = self._fitted
        features, subset = self._checked(state, X), as_subset(labels, exclude_labels)
        if state.label_kind == "classes":
            check_query(None, 0.0 if threshold is None else threshold)
            best = padded_table(self._search(state, features, 1, None, subset=subset)[0], 1)[0]
            if (best < 0).any():
                raise ValueError("predict requires one label that is not left out, but has none")
            return np.asarray(state.model_classes[best[:, 0]])
        dense = is_dense(state, self.sparse_output)
        if dense:
            remedy = "pass fewer rows, set sparse_output=True, or call predict_labels"
            check_size("predict", features.shape[0], len(state.model_classes), np.int64, remedy)
        found = indicator(self._decide(state, features, threshold, subset=subset)[0])
        return np.asarray(found.toarray(), np.int64) if dense else found

    def _predicted(self, X: Any) -> Indicator:
        """Return what `predict` returns for rows with any number of labels, always sparse."""
        state = self._fitted
        return indicator(self._decide(state, self._checked(state, X), None)[0])

    @checked
    def predict_labels(
        self,
        X: Any,
        threshold: float | None = None,
        *,
        labels: Sequence[Hashable] | None = None,
        exclude_labels: Sequence[Hashable] | None = None,
    ) -> list[list[Any]]:
        """Return the names of the predicted labels of each row (see `predict`), best first."""
        state, subset = self._fitted, as_subset(labels, exclude_labels)
        found, _ = self._decide(state, self._checked(state, X), threshold, subset=subset)
        names = state.model_classes[found.indices].tolist()
        ends = found.indptr.tolist()
        return [names[first:last] for first, last in pairwise(ends)]

    @overload
    def predict_proba(
        self,
        X: Any,
        k: int,
        threshold: float | None = None,
        *,
        labels: Sequence[Hashable] | None = None,
        exclude_labels: Sequence[Hashable] | None = None,
    ) -> Probabilities: ...
    @overload
    def predict_proba(
        self,
        X: Any,
        k: None = None,
        *,
        threshold: float,
        labels: Sequence[Hashable] | None = None,
        exclude_labels: Sequence[Hashable] | None = None,
    ) -> Probabilities: ...
    @overload
    def predict_proba(
        self,
        X: Any,
        k: int | None = None,
        threshold: float | None = None,
        *,
        labels: Sequence[Hashable] | None = None,
        exclude_labels: Sequence[Hashable] | None = None,
    ) -> NDArray[np.float32] | Probabilities: ...
    @checked
    def predict_proba(
        self,
        X: Any,
        k: int | None = None,
        threshold: float | None = None,
        *,
        labels: Sequence[Hashable] | None = None,
        exclude_labels: Sequence[Hashable] | None = None,
    ) -> NDArray[np.float32] | Probabilities:
        """Return the probabilities of labels, one column per label.

        Without `k` and `threshold`, all labels of all rows are computed and stored. Pass one of
        them if there are many labels. If rows have one class, the probabilities of a row sum to 1
        (see `normalize_proba`). If `calibrate` has fitted a curve, only this full result does:
        it is divided by its sum, which a search that stops early does not know.

        Parameters
        ----------
        X
            Features of the rows.
        k
            Return only this many labels per row, the most probable.
        threshold
            Return only labels with at least this probability.
        labels, exclude_labels
            As in `top_k`.

        Returns
        -------
        array or csr_array
            An array if Y was dense or classes (see `sparse_output`). Otherwise, and with `k`,
            `threshold`, `labels` or `exclude_labels`, a csr_array with sorted indices.
        """
        state = self._fitted
        features, subset = self._checked(state, X), as_subset(labels, exclude_labels)
        is_full = k is None and threshold is None and subset is None
        dense = is_full and is_dense(state, self.sparse_output)
        if dense:
            remedy = "pass k, threshold or fewer rows, or set sparse_output=True"
            shape = (features.shape[0], len(state.model_classes))
            check_size("predict_proba", *shape, np.float32, remedy)
        found, _ = self._search(state, features, k, threshold, subset=subset)
        found.sort_indices()
        if is_full and self.normalize_proba and state.label_kind == "classes":
            # Searches of a normalized model with neither rankers nor a curve sum to 1 already.
            calibration = state.model.calibration
            sums_to_one = calibration.siblings == ONE and calibration.curve is None
            if not sums_to_one or state.has_rankers:
                divide_by_sums(found)
        return dense_probabilities(found) if dense else found

    @checked
    def top_k(
        self,
        X: Any,
        k: int = 5,
        *,
        labels: Sequence[Hashable] | None = None,
        exclude_labels: Sequence[Hashable] | None = None,
        weights: Any = None,
        beam: int | None = None,
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Return the k most probable labels of each row and their probabilities, best first.

        A float32 CSR matrix with one row has the lowest overhead.

        Parameters
        ----------
        X
            Features of the rows.
        k
            Number of labels.
        labels
            Return only these labels of `classes_`. Subtrees without any of them are not searched.
        exclude_labels
            Never return these labels; labels that the model does not know are ignored.
        weights
            One weight per label, such as inverse propensities: labels are ranked by weight times
            probability. Labels with a weight of 0 are never returned.
        beam
            Maximum number of nodes per level that a row continues with, which may miss labels; None
            for an exact search.

        Returns
        -------
        labels
            (n_rows, k) numbers of labels: columns of Y, positions in `classes_`. Padded with -1 if
            there are fewer than k labels.
        probabilities
            (n_rows, k), padded with 0.

        Examples
        --------
        >>> from labeltree import PLTClassifier
        >>> clf = PLTClassifier().fit([[1, 0], [0, 1], [1, 1]], [["tea"], ["jam"], ["tea", "jam"]])
        >>> clf.classes_[clf.top_k([[1, 0]], 1)[0]].tolist()
        [['tea']]
        >>> clf.classes_[clf.top_k([[1, 0]], 1, labels=["jam"])[0]].tolist()
        [['jam']]
        """
        state = self._fitted
        is_every = labels is None and exclude_labels is None
        if is_every and weights is None and is_one_row(state, X):
            found = self.top_k_row(X.indices, X.data, k, beam=beam)
            return found[0][None], found[1][None]
        check_integer("k", k, minimum=1)
        features = self._checked(state, X)
        check_padding(features.shape[0], k, len(state.model_classes))
        subset = as_subset(labels, exclude_labels)
        options: dict[str, Any] = {"subset": subset, "beam": beam}
        if weights is not None:  # in place of the model's own
            options = {"limits": label_limits(state.model_classes, weights, subset), "beam": beam}
        return padded_table(self._search(state, features, k, None, **options)[0], k)

    def top_k_row(
        self,
        indices: NDArray[np.int32],
        values: NDArray[np.float32],
        k: int = 5,
        *,
        beam: int | None = None,
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Return the k most probable labels of one row, given by its nonzero features.

        This is the method with the lowest overhead. The results are those of `top_k`.

        Parameters
        ----------
        indices
            Columns of the features, int32, without duplicates.
        values
            Values of the features, float32.
        k
            Number of labels.
        beam
            As in `top_k`.

        Examples
        --------
        >>> from labeltree import PLTClassifier
        >>> clf = PLTClassifier().fit([[1, 0], [0, 1]], ["tea", "jam"])
        >>> row = np.array([1], np.int32), np.array([1.0], np.float32)
        >>> clf.classes_[clf.top_k_row(*row, k=1)[0]].tolist()
        ['jam']
        """
        state = self._fitted
        model = state.laid_out or state.model
        return model.top_k_row(indices, values, k, beam=beam, scaling=state.row_scaling)

    def label_proba(self, X: Any, Y: Any) -> Probabilities:
        """Return the probabilities of given labels, such as candidates from another system.

        Parameters
        ----------
        X
            Features of the rows.
        Y
            The labels of each row whose probabilities to return, in any form that `fit` accepts.

        Returns
        -------
        csr_array
            The probabilities, stored where Y has labels.

        Examples
        --------
        >>> from labeltree import PLTClassifier
        >>> clf = PLTClassifier().fit([[1, 0], [0, 1], [1, 1]], [["tea"], ["jam"], ["tea", "jam"]])
        >>> found = clf.label_proba([[1, 0]], [["jam"]])
        >>> found.nnz, bool(found[0, 0] < 0.5)
        (1, True)
        """
        state = self._fitted
        features = self._checked(state, X)
        rows = targets.true_labels(Y, state.model_classes, state.label_kind)
        targets.check_same_rows(features, rows)
        if rows.n_labels > len(state.model_classes):
            raise ValueError("Y must have labels of classes_ only, but has others")
        probabilities = state.model.probabilities_of(
            features, rows, scaling=state.row_scaling, n_threads=n_threads(self.n_jobs)
        )
        shape = (rows.n_rows, len(state.model_classes))
        return sparse.csr_array((probabilities, rows.indices, rows.indptr), shape=shape)

    @checked
    def explain(
        self,
        x: Any,
        label: Hashable = None,
        top_features: int = 5,
        *,
        feature_names: Sequence[str] | None = None,
    ) -> Explanation:
        """Explain why a label has its probability, along its path from the root.

        For each node on the path, the explanation has the probability given its parent, the product
        from the root, the features of x that raise or lower the probability, and the most probable
        siblings. Print it, convert it to JSON with `to_dict()`, or plot it with
        `labeltree.plot.explanation`. With several trees, there is one path per tree, and the
        probability is the mean.

        Parameters
        ----------
        x
            One row: a matrix of one row, an array of numbers, or a mapping from names of features
            to values.
        label
            A label of `classes_`; the most probable one if None.
        top_features
            Maximum number of features to list per node; the others are summed.
        feature_names
            Name of each feature, such as ``vectorizer.get_feature_names_out()``. None uses
            `feature_names_in_` if X had column names, else x[0], x[1], ...

        Examples
        --------
        >>> from labeltree import PLTClassifier
        >>> X = [[1, 0], [1, 0.1], [0, 1], [0.1, 1]]
        >>> Y = [["tea", "milk"], ["tea"], ["bread"], ["bread"]]
        >>> clf = PLTClassifier().fit(X, Y)
        >>> why = clf.explain({"wet": 2.0}, "tea", feature_names=["wet", "dry"])
        >>> [step.examples for step in why.steps]
        [('tea', 'milk', 'bread'), ('tea',)]
        >>> why.steps[1].evidence.contributions[0].name
        'wet'
        """
        return explain_prediction(self, self._fitted, x, label, top_features, feature_names)
