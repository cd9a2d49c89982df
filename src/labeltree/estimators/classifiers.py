"""The scikit-learn face: classifiers that build their trees, train and answer."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from labeltree.data import LabelRows, targets
from labeltree.data.features import FeatureMatrix
from labeltree.data.row_scaling import AS_THEY_ARE, RowScaling
from labeltree.estimators import validation
from labeltree.estimators.calibrated import CalibratedMixin
from labeltree.estimators.online import OnlineMixin
from labeltree.estimators.prediction import QueryMixin
from labeltree.estimators.stored_mixin import StoredMixin
from labeltree.model.model import Model
from labeltree.progress import Progress, show_progress
from labeltree.storage.registry import register
from labeltree.threads import n_threads
from labeltree.training.feature_weighting import Powers, learn_scaling
from labeltree.training.fit import FitSettings, Fitted, fit_forest
from labeltree.training.forest import ForestSettings
from labeltree.training.memory import peak_memory
from labeltree.training.node_estimators import fit_node_estimators
from labeltree.training.nodes import SolverSettings, Start
from labeltree.training.warm_start import start_of
from labeltree.trees import LabelTree, by_name
from labeltree.units import parse_bytes


# scikit-learn has no type information, so its classes are Any to mypy.
class _Classifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    pass


@register
class PLTClassifier(QueryMixin, CalibratedMixin, OnlineMixin, StoredMixin, _Classifier):
    """A probabilistic label tree, or several, for rows with any number of labels.

    Rows with one class each (a one-dimensional Y) are taken too; answers are then classes.

    Parameters
    ----------
    tree
        Name of a builder ("auto", "cheapest", "blend", "kmeans", "huffman", "complete", "star",
        "multiclass", "shannon", "nested", "random", "exact"), a LabelTree, or a list of them.
        "auto" is "blend" with likeness 0.75 and a price list that makes nodes the wider the more
        features a row has: CostModel(per_row=width * features a row, and at least min_per_row),
        where width is 3 and min_per_row 10.
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
        Weight of the loss against the squared norm of the weights, in nodes of up to 10 positive
        rows.
    damping
        Where a node has n > 10 positive rows, C becomes C (10 / n)^p, with one power p for positive
        and one for negative rows. (0, 0) for the same C everywhere; None for (0.08, 0.15), or
        (0, 0.25) where every row has just one label.
    class_weight
        None; a pair of factors of C for positive and for negative rows of each node; "balanced" to
        weigh both the same (instead of `damping`); or a mapping from labels to weights, 1 for
        those that are not named. A row has the largest weight of its labels.
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
        Scale rows of X to length 1 in fit and in all answers. False takes X as it is.
    feature_powers
        Powers (p, q): a value x of a feature becomes x^p t^q, where t is how many labels two rows
        with the feature share on average. None to find them if there are 1,000 rows or more;
        (1, 0) for values as they are. Rows of length 1 are then used where they lie; else the
        values of X are copied once, the indices never.
    threshold
        Labels with at least this probability are predicted. Not used with one class a row, nor
        after `tune_thresholds`.
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
    warm_start
        Whether `fit` goes on from what `fit` or `partial_fit` has learnt: it keeps the trees, and
        weights stay near what they are as far as the new rows allow. The columns of X must be the
        same, and the labels be in the trees.
    online
        How `partial_fit` learns: a mapping of options of `labeltree.online.OnlineOptions`, such as
        {"learning_rate": 0.5}. They are read when the first rows are learnt.
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
    scaling_ : what becomes of the values of rows
    thresholds_ : least probability at which each label is predicted, after `tune_thresholds`
    label_kind_ : what Y was: "indicator", "sets" or "classes"
    training_cost_ : (row, node) pairs over all trees
    n_visits_ : rows visited by the solver over all nodes, counting passes
    n_rows_ : rows that were learnt from
    tree_cost_ : after `partial_fit`, nodes that a row visits on average, and how few it could be
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
        tree: str | LabelTree | Sequence[LabelTree] = by_name.AUTO,
        tree_options: Mapping[str, Any] | None = None,
        n_trees: int = 1,
        row_sample: float | None = None,
        loss: str = SolverSettings.loss,
        C: float = SolverSettings.C,
        damping: Sequence[float] | None = SolverSettings.damping,
        class_weight: str | Sequence[float] | Mapping[Any, float] | None = None,
        bias: float = SolverSettings.bias,
        tolerance: float = SolverSettings.tolerance,
        max_iterations: int = SolverSettings.max_iterations,
        prune: float = SolverSettings.prune,
        max_nonzeros: int | None = SolverSettings.max_nonzeros,
        normalize: bool = True,
        feature_powers: Sequence[float] | None = None,
        threshold: float = 0.5,
        sum_to_one: bool = True,
        node_estimator: Any = None,
        max_memory: float | str | None = None,
        checkpoint: str | os.PathLike[str] | None = None,
        warm_start: bool = False,
        online: Mapping[str, Any] | None = None,
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
        self.damping = damping
        self.class_weight = class_weight
        self.bias = bias
        self.tolerance = tolerance
        self.max_iterations = max_iterations
        self.prune = prune
        self.max_nonzeros = max_nonzeros
        self.normalize = normalize
        self.feature_powers = feature_powers
        self.threshold = threshold
        self.sum_to_one = sum_to_one
        self.node_estimator = node_estimator
        self.max_memory = max_memory
        self.checkpoint = checkpoint
        self.warm_start = warm_start
        self.online = online
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    # Training -----------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Build the trees and train their nodes; a fit that fails leaves all as it was.

        Parameters
        ----------
        X
            Features: scipy.sparse, array or DataFrame. float32 CSR is used where it lies, also
            where it is mapped from a file, but for a copy of its values (see `feature_powers`).
        y
            Labels: 0/1 indicator (sparse, array or DataFrame), one list of labels for each row, or
            one class for each row.
        sample_weight
            Weight of each row; rows of weight 0 are left out.
        """
        settings = self._settings()
        features = validation.training_features(X)
        rows = self._labels(y, settings.forest)
        targets.check_same_rows(features, rows)
        if settings.start:
            validation.check_same_columns(features, self.n_features_in_)
        weight = validation.row_weights(sample_weight, rows, self.class_weight)
        scaling = self._learn_scaling(features, rows, weight, settings)
        in_place = validation.is_copy(features, X)
        features = scaling(features, n_threads(self.n_jobs), in_place=in_place)
        with show_progress(quiet=self.verbose <= 0, lines=True) as progress:
            fitted = self._fit(features, rows, weight, settings, progress)
        self.scaling_ = scaling
        self._take(fitted, rows, settings.start[0].rows_before if settings.start else 0)
        validation.keep_feature_names(self, X)
        return self

    def _settings(self) -> FitSettings:
        validation.check_share("threshold", self.threshold)
        class_weight = validation.node_class_weight(self.class_weight)
        seed = validation.as_seed(self.random_state)
        memory = None if self.max_memory is None else parse_bytes("max_memory", self.max_memory)
        forest = ForestSettings(self.tree, self.tree_options, self.n_trees, self.row_sample, seed)
        solver = SolverSettings(
            loss=self.loss,
            C=self.C,
            damping=validation.as_powers("damping", self.damping),
            class_weight=class_weight,
            bias=self.bias,
            tolerance=self.tolerance,
            max_iterations=self.max_iterations,
            prune=self.prune,
            max_nonzeros=self.max_nonzeros,
            seed=seed,
        )
        start = self._start()
        if start:
            forest = replace(forest, tree=self.trees_, tree_options=None)
        folder = None if self.checkpoint is None else Path(self.checkpoint)
        n_threads(self.n_jobs)
        powers = Powers.checked(validation.as_powers("feature_powers", self.feature_powers))
        if powers and not self.normalize:
            raise ValueError("feature_powers are for rows of length 1, but normalize is False")
        return FitSettings(forest, solver, memory, folder, self.n_jobs, start, powers)

    def _start(self) -> tuple[Start, ...]:
        """Return the weights that fit goes on from, none if it starts from nothing."""
        if not self.warm_start or not hasattr(self, "classes_"):
            return ()
        if not isinstance(self.model_, Model) or self.node_estimator is not None:
            raise ValueError("warm_start is for native nodes, but nodes are estimators")
        return start_of(self.model_, self.loss, self.n_rows_)

    def _learn_scaling(
        self,
        X: FeatureMatrix,
        rows: LabelRows,
        weight: NDArray[np.float32] | None,
        settings: FitSettings,
    ) -> RowScaling:
        if settings.start:
            return self.scaling_
        if not self.normalize:
            return AS_THEY_ARE
        if weight is not None and not weight.all():  # rows of weight 0 are as good as not there
            kept = np.flatnonzero(weight)
            X, rows = X[kept], rows.select(kept)
        return learn_scaling(X, rows, settings.feature_powers, n_threads(self.n_jobs))

    def _labels(self, Y: Any, forest: ForestSettings) -> LabelRows:
        return validation.training_labels(Y, forest.given)

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

    def _take(self, fitted: Fitted, rows: LabelRows, rows_before: int) -> None:
        for name in ("_stored_names", "_online"):
            self.__dict__.pop(name, None)
        self.model_ = fitted.model
        self.trees_ = list(fitted.model.trees)
        self.tree_ = self.trees_[0]
        self.classes_ = np.arange(rows.n_labels) if rows.names is None else rows.names
        self.label_kind_ = rows.kind
        self.n_features_in_ = fitted.model.n_features
        self.training_cost_ = fitted.training_cost
        self.n_visits_ = fitted.n_visits
        self.n_rows_ = rows.n_rows + rows_before
        self.peak_memory_ = peak_memory()

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the share of rows whose class, or whose whole set of labels, is right."""
        check_is_fitted(self)
        if self.label_kind_ == "classes":
            return float(super().score(X, y, sample_weight))
        truth = targets.true_labels(y, self.classes_).to_csr()
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


@register
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
        return validation.training_labels(targets.as_classes(Y), forest.given)

    def _online_labels(self, y: Any) -> LabelRows:
        return super()._online_labels(targets.as_classes(y))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = False
        return tags

    def _more_tags(self) -> dict[str, Any]:
        return {"multilabel": False}
