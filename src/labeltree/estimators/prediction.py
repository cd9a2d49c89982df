"""What a fitted estimator answers."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import partial
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from labeltree.calibration.decisions import Answers, decide
from labeltree.data import targets
from labeltree.data.features import FeatureMatrix
from labeltree.estimators.explaining import explain_prediction
from labeltree.estimators.fitted import FittedAttributes
from labeltree.estimators.state import FittedState
from labeltree.explain.explanation import Explanation
from labeltree.explain.prediction_cost import cost_bound
from labeltree.model.label_limits import LabelLimits
from labeltree.model.model import check_query
from labeltree.threads import n_threads

#: Nodes that each of many rows evaluates at a time (see Model.search); measured on tib-gnd.
NODES_PER_STEP = 8

Probabilities: TypeAlias = "sparse.csr_array[np.float32, tuple[int, int]]"


class PredictionMixin(FittedAttributes):
    """Labels, probabilities, costs and explanations of rows."""

    normalize_proba: bool
    threshold: float

    def predict(self, X: Any, threshold: float | None = None) -> Any:
        """Return the labels of each row.

        Parameters
        ----------
        X
            Features of the rows.
        threshold
            Take labels with at least this probability, for this once; None for what
            `tune_thresholds` found, or else the estimator's `threshold`.

        Returns
        -------
        csr_array of uint8 or array
            An indicator of the labels that are probable enough; the most probable class of each
            row if Y had one class a row. See `predict_labels` for labels by name.
        """
        state = self._fitted
        if state.label_kind == "classes":
            check_query(None, 0.0 if threshold is None else threshold)
            labels = _as_table(self._search(state, self._checked(state, X), 1, None)[0], 1)[0]
            return state.model_classes[labels[:, 0]]
        found, _ = self._decide(state, X, threshold)
        found.sort_indices()
        ones = np.ones(found.nnz, np.uint8)
        return sparse.csr_array((ones, found.indices, found.indptr), shape=found.shape)

    def predict_labels(self, X: Any, threshold: float | None = None) -> list[list[Any]]:
        """Return the labels of each row that are probable enough (see `predict`), best first."""
        state = self._fitted
        found, _ = self._decide(state, X, threshold)
        names = state.model_classes[found.indices].tolist()
        ends = found.indptr.tolist()
        return [names[first:last] for first, last in pairwise(ends)]

    def predict_proba(
        self, X: Any, k: int | None = None, threshold: float | None = None
    ) -> Probabilities:
        """Return the probabilities of labels as compressed rows with sorted indices.

        Without `k` and `threshold` all labels of all rows are computed and stored: pass one of them
        where there are many labels. Only this full result can be normalized to sum to 1 where rows
        have one class (see `normalize_proba`), as a search that stops early does not know the sum.

        Parameters
        ----------
        X
            Features of the rows.
        k
            Return only this many labels per row, the most probable.
        threshold
            Return only labels with at least this probability.
        """
        state = self._fitted
        found, _ = self._search(state, self._checked(state, X), k, threshold)
        found.sort_indices()
        is_full = k is None and threshold is None
        if is_full and self.normalize_proba and state.label_kind == "classes":
            _divide_by_sums(found)
        return found

    def top_k(
        self,
        X: Any,
        k: int = 5,
        *,
        labels: Sequence[Hashable] | None = None,
        weights: Any = None,
        beam: int | None = None,
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Return the k most probable labels of each row and their probabilities, best first.

        A float32 CSR matrix of one row takes the shortest way to the answer.

        Parameters
        ----------
        X
            Features of the rows.
        k
            Number of labels.
        labels
            Answer with these labels of `classes_` only.
        weights
            Rank labels by weight times probability, such as inverse propensities: one for each
            label. Labels of weight 0 are never answered.
        beam
            Go on with so many nodes on each level, which may miss labels; None for an exact search.

        Returns
        -------
        labels
            (n_rows, k) numbers of labels: columns of Y, positions in `classes_`. -1 where there are
            fewer than k labels.
        probabilities
            (n_rows, k); 0 where there is no label.

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
        if labels is None and weights is None and _is_one_row(state, X):
            found = self.top_k_row(X.indices, X.data, k, beam=beam)
            return found[0][None], found[1][None]
        if k < 1:
            raise ValueError(f"k must be at least 1, but is {k}")
        limits = _limits(state, labels, weights)
        features = self._checked(state, X)
        return _as_table(self._search(state, features, k, None, limits=limits, beam=beam)[0], k)

    def top_k_row(
        self,
        indices: NDArray[np.int32],
        values: NDArray[np.float32],
        k: int = 5,
        *,
        beam: int | None = None,
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Return the k most probable labels of one row, given by its features that are not 0.

        This is the call with the least time around the search. The answers are those of `top_k`.

        Parameters
        ----------
        indices
            Columns of the features, int32, each once.
        values
            Their values, float32.
        k
            Number of labels.
        beam
            As `top_k` has it.

        Examples
        --------
        >>> from labeltree import PLTClassifier
        >>> clf = PLTClassifier().fit([[1, 0], [0, 1]], ["tea", "jam"])
        >>> row = np.array([1], np.int32), np.array([1.0], np.float32)
        >>> clf.classes_[clf.top_k_row(*row, k=1)[0]].tolist()
        ['jam']
        """
        state = self._fitted
        return state.model.top_k_row(indices, values, k, beam=beam, scaling=state.row_scaling)

    def label_proba(self, X: Any, Y: Any) -> Probabilities:
        """Return the probabilities of given labels, such as those that somebody proposes.

        Parameters
        ----------
        X
            Features of the rows.
        Y
            The labels of each row to be judged, in the form of `fit`'s Y.

        Returns
        -------
        csr_array
            The probabilities, where Y has labels.

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
        rows = targets.true_labels(Y, state.model_classes)
        targets.check_same_rows(features, rows)
        if rows.n_labels > len(state.model_classes):
            raise ValueError("Y must have labels of classes_ only, but has others")
        probabilities = state.model.probabilities_of(
            features, rows, scaling=state.row_scaling, n_threads=n_threads(self.n_jobs)
        )
        shape = (rows.n_rows, len(state.model_classes))
        return sparse.csr_array((probabilities, rows.indices, rows.indptr), shape=shape)

    def prediction_cost(
        self, X: Any, k: int | None = None, threshold: float | None = None
    ) -> NDArray[np.int64]:
        """Return the number of node classifiers evaluated per row; by default for `predict`."""
        state = self._fitted
        if k is None and threshold is None:
            if state.label_kind != "classes":
                return self._decide(state, X, None, nodes_per_step=1)[1]
            k = 1
        return self._search(state, self._checked(state, X), k, threshold, nodes_per_step=1)[1]

    def prediction_cost_bound(self, X: Any, threshold: float | None = None) -> NDArray[np.int64]:
        """Return how many node classifiers each row can ask at most, by Theorem 6.

        `prediction_cost` with the same threshold measures what is asked. The bound is
        1 + ⌊P̂/τ⌋·depth·degree, where P̂ sums the probabilities of all labels of a row, normalised
        as in `labeltree.bounds.normalized_products`; without normalisation a query never asks
        more. All nodes are computed for it, so give it some rows and not all.

        Parameters
        ----------
        X
            Features of the rows.
        threshold
            τ, above 0; that of `predict` if None.

        Examples
        --------
        >>> from labeltree import PLTClassifier
        >>> clf = PLTClassifier().fit([[1, 0], [0, 1], [1, 1]], [["tea"], ["jam"], ["tea", "jam"]])
        >>> clf.prediction_cost([[1, 0]]) <= clf.prediction_cost_bound([[1, 0]])
        array([ True])
        """
        thresholds = self.thresholds_
        least = self.threshold if thresholds is None else float(thresholds.min())
        tau = least if threshold is None else threshold
        return cost_bound(self.model_, self._query(X), tau)

    def explain(
        self,
        x: Any,
        label: Hashable = None,
        top_features: int = 5,
        *,
        feature_names: Sequence[str] | None = None,
    ) -> Explanation:
        """Explain why a label has its probability, along its path from the root.

        For each node on the path: its own probability, the product so far, the features of x that
        raise or lower it, and the most probable siblings. Print it, convert it to JSON with
        `to_dict()`, or plot it with `labeltree.plot.explanation`. With several trees there is one
        path for each, and the probability is their mean. Where `normalize_proba` divides a full
        `predict_proba(X)`, the explanation is of the probability before that.

        Parameters
        ----------
        x
            One row: a matrix of one row, an array of numbers, or a mapping from names of features
            to values.
        label
            A label of `classes_`; the most probable one if None.
        top_features
            So many features of each node are listed, and the others summed.
        feature_names
            Name of each feature, such as ``vectorizer.get_feature_names_out()``;
            `feature_names_in_` if None and there are any, else x[0], x[1], ...

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

    def _ranked(
        self, features: FeatureMatrix, k: int | None, threshold: float | None
    ) -> list[list[tuple[Any, float]]]:
        """Return labels and probabilities of rows that are checked, best first."""
        state = self._fitted
        found, _ = self._search(state, features, k, threshold)
        names = state.model_classes[found.indices].tolist()
        pairs = list(zip(names, found.data.tolist(), strict=True))
        return [pairs[first:last] for first, last in pairwise(found.indptr.tolist())]

    def _decide(
        self, state: FittedState, X: Any, threshold: float | None, **options: Any
    ) -> Answers:
        """Return the labels that `predict` gives, best first, and classifiers evaluated."""
        features = self._checked(state, X)
        if threshold is not None or state.model.calibration.objective is None:
            least = self.threshold if threshold is None else threshold
            return self._search(state, features, None, least, **options)
        search = partial(self._search, state, **options)
        return decide(state.model.calibration, search, features)

    def _search(
        self,
        state: FittedState,
        features: FeatureMatrix,
        k: int | None,
        threshold: float | None,
        **options: Any,
    ) -> Answers:
        """Return probabilities, best first in each row, and the number of classifiers evaluated."""
        return state.model.search(
            features,
            k=k,
            threshold=0.0 if threshold is None else threshold,
            scaling=state.row_scaling,
            n_threads=n_threads(self.n_jobs),
            **{"nodes_per_step": NODES_PER_STEP} | options,
        )


def _is_one_row(state: FittedState, X: Any) -> bool:
    """Whether X can be searched as it is, by the call with the least overhead."""
    return (
        type(X) in (sparse.csr_array, sparse.csr_matrix)
        and X.shape == (1, state.n_features)
        and X.data.dtype == np.float32
        and X.indices.dtype == np.int32
        and X.has_canonical_format
        and state.feature_names is None
    )


def _limits(
    state: FittedState, labels: Sequence[Hashable] | None, weights: Any
) -> LabelLimits | None:
    if labels is None and weights is None:
        return None
    classes = state.model_classes
    factors = np.ones(len(classes), np.float32) if weights is None else np.asarray(weights)
    if labels is not None:
        number = {name: j for j, name in enumerate(classes.tolist())}
        unknown = next((label for label in labels if label not in number), None)
        if unknown is not None:
            raise ValueError(f"labels must be among classes_, but {unknown!r} is not")
        is_chosen = np.zeros(len(classes), np.bool_)
        is_chosen[[number[label] for label in labels]] = True
        factors = np.where(is_chosen, factors, 0.0)
    return LabelLimits(weights=factors, n_labels=len(classes))


def _as_table(found: Probabilities, k: int) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    lengths = np.diff(found.indptr)
    labels = np.full((found.shape[0], k), -1, np.int64)
    probabilities = np.zeros((found.shape[0], k), np.float32)
    places = np.arange(k) < lengths[:, None]
    labels[places] = found.indices
    probabilities[places] = found.data
    return labels, probabilities


def _divide_by_sums(found: Probabilities) -> None:
    """Make each row sum to 1, in place; a row of zeros gives every label the same."""
    lengths = np.diff(found.indptr)
    sums = np.asarray(found.sum(axis=1, dtype=np.float64))
    flat = sums <= 0
    found.data[np.repeat(flat, lengths)] = 1.0
    sums[flat] = lengths[flat]
    found.data /= np.repeat(sums, lengths).astype(np.float32)
