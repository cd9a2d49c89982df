"""The scikit-learn face: classifiers that build their trees, train and answer."""

from __future__ import annotations

import os
from collections.abc import Hashable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from labeltree import builders, inputs
from labeltree.budget import Budget
from labeltree.data import LabelRows
from labeltree.data.features import FeatureMatrix
from labeltree.data.unit_rows import unit_rows
from labeltree.explain import explain_answer
from labeltree.explanation import Explanation
from labeltree.fitting import FitSettings, Fitted, fit_forest
from labeltree.forest import ForestSettings
from labeltree.node_estimators import fit_node_estimators
from labeltree.prediction_cost import cost_bound
from labeltree.progress import told_progress
from labeltree.resources import peak_memory
from labeltree.threads import n_threads
from labeltree.training import Progress, SolverSettings
from labeltree.trees import LabelTree

Probabilities: TypeAlias = "sparse.csr_array[np.float32, tuple[int, int]]"


# scikit-learn has no type information, so its classes are Any to mypy.
class PLTClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A probabilistic label tree, or several, for rows with any number of labels.

    Rows with one class each (a one-dimensional Y) are taken too; answers are then classes.

    Parameters
    ----------
    tree
        Name of a builder ("auto", "cheapest", "blend", "kmeans", "huffman", "complete", "star",
        "multiclass", "shannon", "nested", "random", "exact"), a LabelTree, or a list of them.
        "auto" is "blend" with likeness 0.75 and a price list that makes nodes the wider the more
        features a row has: CostModel(per_row=width * features a row, and at least min_per_row),
        where width is 3 and min_per_row 80.
    tree_options
        Options of the builder in `labeltree.trees`, such as {"likeness": 0.5}; "auto" takes width
        and min_per_row too: less trains faster, more may be more accurate.
    n_trees
        Number of trees; a label's probability is the mean over them. They differ by the seeds of
        "kmeans", "blend" and "random" trees, and by the rows they see if `row_sample` is set.
    row_sample
        Share of the rows that each tree sees, drawn for each tree; None for all.
    loss
        "squared_hinge" or "logistic".
    C
        Weight of the loss against the squared norm of the weights.
    class_weight
        None; "balanced" to weigh positive and negative rows of each node the same; or a mapping
        from labels to weights, 1 for those that are not named. A row has the largest weight of
        its labels.
    bias
        Value of a constant feature; 0 for none.
    tolerance
        A node's classifier is done when no row is further from its optimum.
    max_iterations
        Passes over the rows of a node at most.
    prune
        Weights of at most this size are dropped.
    max_nonzeros
        Weights that a node keeps at most, the largest; None for all.
    normalize
        Scale rows of X to length 1 in fit and in all answers. Rows of length 1 are used as they
        are; else the values of X are copied once, the indices never.
    threshold
        Labels with at least this probability are predicted. Not used with one class a row.
    sum_to_one
        With one class a row, divide the rows of a full `predict_proba(X)` by their sum. `top_k`
        and searches with a limit give probabilities before that.
    node_estimator
        A scikit-learn classifier with predict_proba to clone and fit for each node, instead of the
        native linear one. For small problems: nodes are fitted one after the other in Python.
    max_memory
        Bytes, or a text such as "500MB", to use beside X, Y and the finished weights. Fewer threads
        are used to stay below.
    checkpoint
        Folder for finished parts of the training. A fit with the same data and settings that was
        stopped goes on from there to the same model, bit for bit; the folder goes when it is done.
    n_jobs
        Number of threads, all cores by default. The model is the same for every number.
    random_state
        Seed of trees, row samples and the solver's order of rows.
    verbose
        Above 0, tell on standard error how far training is and how long the rest takes.

    Attributes
    ----------
    classes_ : array of the labels; label number j, column j of Y, is classes_[j]
    n_features_in_ : columns of X
    feature_names_in_ : names of the columns, if X was a DataFrame with text names
    trees_, tree_ : the trees, and the first of them
    model_ : trees with their weights
    label_kind_ : what Y was: "indicator", "sets" or "classes"
    training_cost_ : (row, node) pairs over all trees
    n_visits_ : rows visited by the solver over all nodes, counting passes
    peak_memory_ : most bytes the process has held up to the end of fit, X and Y included, as the
        operating system counts them

    Examples
    --------
    >>> X = [[1, 0], [1, 0.1], [0, 1], [0.1, 1]]
    >>> Y = [["tea", "milk"], ["tea"], ["bread"], ["bread"]]
    >>> clf = PLTClassifier().fit(X, Y)
    >>> labels, probabilities = clf.top_k([[2, 0]], k=2)
    >>> clf.classes_[labels].tolist()
    [['tea', 'milk']]
    >>> clf.set_params(threshold=0.9).predict_labels([[2, 0], [0, 2]])
    [['tea'], ['bread']]
    """

    def __init__(
        self,
        *,
        tree: str | LabelTree | Sequence[LabelTree] = builders.AUTO,
        tree_options: Mapping[str, Any] | None = None,
        n_trees: int = 1,
        row_sample: float | None = None,
        loss: str = SolverSettings.loss,
        C: float = SolverSettings.C,
        class_weight: str | Mapping[Any, float] | None = None,
        bias: float = SolverSettings.bias,
        tolerance: float = SolverSettings.tolerance,
        max_iterations: int = SolverSettings.max_iterations,
        prune: float = SolverSettings.prune,
        max_nonzeros: int | None = SolverSettings.max_nonzeros,
        normalize: bool = True,
        threshold: float = 0.5,
        sum_to_one: bool = True,
        node_estimator: Any = None,
        max_memory: float | str | None = None,
        checkpoint: str | os.PathLike[str] | None = None,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = 0,
        verbose: int = 0,
    ) -> None:
        self.tree = tree
        self.tree_options = tree_options
        self.n_trees = n_trees
        self.row_sample = row_sample
        self.loss = loss
        self.C = C
        self.class_weight = class_weight
        self.bias = bias
        self.tolerance = tolerance
        self.max_iterations = max_iterations
        self.prune = prune
        self.max_nonzeros = max_nonzeros
        self.normalize = normalize
        self.threshold = threshold
        self.sum_to_one = sum_to_one
        self.node_estimator = node_estimator
        self.max_memory = max_memory
        self.checkpoint = checkpoint
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    # Training -----------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Build the trees and train their nodes; a fit that fails leaves all as it was.

        Parameters
        ----------
        X
            Features: scipy.sparse, array or DataFrame. float32 CSR is used without a copy, also
            where it is mapped from a file.
        y
            Labels: 0/1 indicator (sparse, array or DataFrame), one list of labels for each row, or
            one class for each row.
        sample_weight
            Weight of each row; rows of weight 0 are left out.
        """
        settings = self._settings()
        features = inputs.training_features(X)
        rows = self._labels(y, settings.forest)
        inputs.check_same_rows(features, rows)
        weight = inputs.row_weights(sample_weight, rows, self.class_weight)
        if self.normalize:
            features = unit_rows(features)
        with told_progress(verbose=self.verbose > 0) as progress:
            fitted = self._fit(features, rows, weight, settings, progress)
        self._take(fitted, rows)
        inputs.keep_feature_names(self, X)
        return self

    def _settings(self) -> FitSettings:
        inputs.check_share("threshold", self.threshold)
        balanced = inputs.is_balanced(self.class_weight)
        seed = inputs.as_seed(self.random_state)
        memory = self.max_memory
        limits = Budget.parse(None if memory is None else {"memory": memory})
        forest = ForestSettings(self.tree, self.tree_options, self.n_trees, self.row_sample, seed)
        solver = SolverSettings(
            loss=self.loss,
            C=self.C,
            balanced=balanced,
            bias=self.bias,
            tolerance=self.tolerance,
            max_iterations=self.max_iterations,
            prune=self.prune,
            max_nonzeros=self.max_nonzeros,
            seed=seed,
        )
        folder = None if self.checkpoint is None else Path(self.checkpoint)
        n_threads(self.n_jobs)
        return FitSettings(forest, solver, limits.memory, folder, self.n_jobs)

    def _labels(self, Y: Any, forest: ForestSettings) -> LabelRows:
        return inputs.training_labels(Y, forest.given)

    def _fit(
        self,
        X: FeatureMatrix,
        rows: LabelRows,
        weight: NDArray[np.float32] | None,
        settings: FitSettings,
        progress: Progress | None,
    ) -> Fitted:
        if self.node_estimator is not None:
            return fit_node_estimators(
                X, rows, settings, self.node_estimator, weight=weight, progress=progress
            )
        return fit_forest(X, rows, settings, weight=weight, progress=progress)

    def _take(self, fitted: Fitted, rows: LabelRows) -> None:
        self.model_ = fitted.model
        self.trees_ = list(fitted.model.trees)
        self.tree_ = self.trees_[0]
        self.classes_ = np.arange(rows.n_labels) if rows.names is None else rows.names
        self.label_kind_ = rows.kind
        self.n_features_in_ = fitted.model.n_features
        self.training_cost_ = fitted.training_cost
        self.n_visits_ = fitted.n_visits
        self.peak_memory_ = peak_memory()

    # Answers ------------------------------------------------------------------------------------

    def predict(self, X: Any) -> Any:
        """Return the labels of each row.

        Returns
        -------
        csr_array of uint8 or array
            An indicator of the labels with probability `threshold` or more; the most probable class
            of each row if Y had one class a row. See `predict_labels` for labels by name.
        """
        check_is_fitted(self)
        if self.label_kind_ == "classes":
            return self.classes_[self.top_k(X, k=1)[0][:, 0]]
        found = self.predict_proba(X, threshold=self.threshold)
        ones = np.ones(found.nnz, np.uint8)
        return sparse.csr_array((ones, found.indices, found.indptr), shape=found.shape)

    def predict_labels(self, X: Any) -> list[list[Any]]:
        """Return the labels with probability `threshold` or more of each row, best first."""
        check_is_fitted(self)
        found, _ = self._search(X, None, self.threshold)
        names = self.classes_[found.indices].tolist()
        ends = found.indptr.tolist()
        return [names[first:last] for first, last in pairwise(ends)]

    def predict_proba(
        self, X: Any, top_k: int | None = None, threshold: float | None = None
    ) -> Probabilities:
        """Return the probabilities of labels as compressed rows with sorted indices.

        Without `top_k` and `threshold` all labels of all rows are computed and stored: ask for one
        of them where there are many labels. Only in this full answer can the rows of classes be
        made to sum to 1 (see `sum_to_one`); a search that stops early does not know the sum.

        Parameters
        ----------
        X
            Features of the rows.
        top_k
            So many labels of each row, the most probable.
        threshold
            Labels with at least this probability.
        """
        check_is_fitted(self)
        found, _ = self._search(X, top_k, threshold)
        found.sort_indices()
        is_full = top_k is None and threshold is None
        if is_full and self.sum_to_one and self.label_kind_ == "classes":
            _divide_by_sums(found)
        return found

    def top_k(self, X: Any, k: int = 5) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Return the k most probable labels of each row and their probabilities, best first.

        Returns
        -------
        labels
            (n_rows, k) numbers of labels: columns of Y, positions in `classes_`. -1 where there are
            fewer than k labels.
        probabilities
            (n_rows, k); 0 where there is no label.
        """
        check_is_fitted(self)
        if k < 1:
            raise ValueError(f"k must be at least 1, but is {k}")
        found, _ = self._search(X, k, None)
        lengths = np.diff(found.indptr)
        labels = np.full((found.shape[0], k), -1, np.int64)
        probabilities = np.zeros((found.shape[0], k), np.float32)
        places = np.arange(k) < lengths[:, None]
        labels[places] = found.indices
        probabilities[places] = found.data
        return labels, probabilities

    def prediction_cost(
        self, X: Any, top_k: int | None = None, threshold: float | None = None
    ) -> NDArray[np.int64]:
        """Return how many node classifiers each row asks; by default for `predict`."""
        check_is_fitted(self)
        if top_k is None and threshold is None:
            is_class = self.label_kind_ == "classes"
            top_k, threshold = (1, None) if is_class else (None, self.threshold)
        return self._search(X, top_k, threshold, fewest_calls=True)[1]

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
        >>> clf = PLTClassifier().fit([[1, 0], [0, 1], [1, 1]], [["tea"], ["jam"], ["tea", "jam"]])
        >>> clf.prediction_cost([[1, 0]]) <= clf.prediction_cost_bound([[1, 0]])
        array([ True])
        """
        check_is_fitted(self)
        tau = self.threshold if threshold is None else threshold
        return cost_bound(self.model_, self._query(X), tau)

    def explain(
        self,
        x: Any,
        label: Hashable = None,
        top_features: int = 5,
        *,
        feature_names: Sequence[str] | None = None,
    ) -> Explanation:
        """Return why a label has its probability: the way from the root, and what pushed x there.

        For each node on the way: its own probability, the product so far, the features of x that
        pushed it up or down, and the most probable branches beside it. Print it, make JSON of it
        with `to_dict()`, or a picture with `labeltree.plot.explanation`. With several trees there
        is one way for each, and the probability is their mean. Where `sum_to_one` divides a full
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
        >>> X = [[1, 0], [1, 0.1], [0, 1], [0.1, 1]]
        >>> Y = [["tea", "milk"], ["tea"], ["bread"], ["bread"]]
        >>> clf = PLTClassifier().fit(X, Y)
        >>> why = clf.explain({"wet": 2.0}, "tea", feature_names=["wet", "dry"])
        >>> [step.examples for step in why.steps]
        [('tea', 'milk', 'bread'), ('tea',)]
        >>> why.steps[1].evidence.contributions[0].name
        'wet'
        """
        check_is_fitted(self)
        return explain_answer(self, x, label, top_features, feature_names)

    def _query(self, X: Any) -> FeatureMatrix:
        features = inputs.query_features(self, X)
        return unit_rows(features) if self.normalize else features

    def _search(
        self, X: Any, top_k: int | None, threshold: float | None, **options: Any
    ) -> tuple[Probabilities, NDArray[np.int64]]:
        """Return probabilities, best first in each row, and the number of classifiers asked."""
        found: tuple[Probabilities, NDArray[np.int64]] = self.model_.search(
            inputs.query_features(self, X),
            top_k=top_k,
            threshold=0.0 if threshold is None else threshold,
            unit_rows=self.normalize,
            n_threads=n_threads(self.n_jobs),
            **options,
        )
        return found

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the share of rows whose class, or whose whole set of labels, is right."""
        check_is_fitted(self)
        if self.label_kind_ == "classes":
            return float(super().score(X, y, sample_weight))
        truth = inputs.true_labels(y, self.classes_).to_csr()
        predicted = self.predict(X)
        predicted.resize(truth.shape)  # labels that were not in training are in no answer
        is_right = (truth != predicted).sum(axis=1) == 0
        return float(np.average(is_right, weights=sample_weight))

    # scikit-learn's tags --------------------------------------------------------------------------

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.classifier_tags.multi_label = True
        return tags

    def _more_tags(self) -> dict[str, Any]:  # the same before scikit-learn 1.6
        return {"multilabel": True}


class HSMClassifier(PLTClassifier):
    """A hierarchical softmax: a label tree for rows with just one class each.

    Parameters and attributes are those of `PLTClassifier`; Y has one class for each row, and
    `predict` gives classes.

    Examples
    --------
    >>> clf = HSMClassifier().fit([[1, 0], [0, 1], [1, 0.1]], ["tea", "bread", "tea"])
    >>> clf.predict([[0.9, 0]]).tolist()
    ['tea']
    """

    def _labels(self, Y: Any, forest: ForestSettings) -> LabelRows:
        return inputs.training_labels(inputs.as_classes(Y), forest.given)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = False
        return tags

    def _more_tags(self) -> dict[str, Any]:
        return {"multilabel": False}


def _divide_by_sums(found: Probabilities) -> None:
    """Make each row sum to 1, in place; a row of zeros gives every label the same."""
    lengths = np.diff(found.indptr)
    sums = np.asarray(found.sum(axis=1, dtype=np.float64))
    flat = sums <= 0
    found.data[np.repeat(flat, lengths)] = 1.0
    sums[flat] = lengths[flat]
    found.data /= np.repeat(sums, lengths).astype(np.float32)
