"""PLTClassifier, the classifier for rows with any number of labels."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from labeltree.data import LabelRows, targets
from labeltree.data.features import FeatureMatrix
from labeltree.data.spread_scaling import scaled_rows
from labeltree.estimators import validation
from labeltree.estimators.calibrated import CalibrationMixin
from labeltree.estimators.convergence import warn_if_far
from labeltree.estimators.files import FilesMixin
from labeltree.estimators.learning_lock import one_at_a_time
from labeltree.estimators.online import OnlineMixin
from labeltree.estimators.output import check_normalize_proba, check_sparse_output
from labeltree.estimators.prediction import PredictionMixin
from labeltree.estimators.sklearn_classifier import SklearnClassifier
from labeltree.estimators.state import FitCounts, FittedState
from labeltree.execution.executor import as_executor
from labeltree.model.interface import LabelModel
from labeltree.progress import Progress, show_progress
from labeltree.storage.registry import register
from labeltree.threads import n_threads
from labeltree.training import effort as efforts
from labeltree.training.fit import FitSettings, Fitted, fit_forest
from labeltree.training.forest import ForestSettings
from labeltree.training.label_weighting import PROPENSITY, checked_label_weighting
from labeltree.training.loss_weights import NO_DECAY
from labeltree.training.node_estimators import fit_node_estimators
from labeltree.training.settings_check import checked_settings
from labeltree.training.solver_settings import MAX_ITER, SolverSettings
from labeltree.training.starting_weights import WarmStart
from labeltree.training.warm_start import warm_start_of
from labeltree.trees import LabelTree, by_name
from labeltree.units import parse_bytes


@register
class PLTClassifier(PredictionMixin, CalibrationMixin, OnlineMixin, FilesMixin, SklearnClassifier):
    """Probabilistic label tree classifier, with one or several trees, for multi-label data.

    Rows with one class each (a one-dimensional Y) are accepted, too. Predictions are then classes.

    Parameters
    ----------
    tree
        Name of a builder ("auto", "cheapest", "blend", "kmeans", "huffman", "complete", "star",
        "multiclass", "shannon", "nested", "random", "exact"), a LabelTree, or a list of them, such
        as ["auto", "kmeans", "kmeans"] for a forest of unlike trees.
        "auto" is "blend" with a similarity of 0.75 and a cost model that makes nodes wider the more
        features a row has: CostModel(per_row=width * features per row, at least min_per_row), where
        width is 3, or less if such nodes take too long to train, and min_per_row is 10.
    tree_params
        Parameters of the builder in `labeltree.trees`, such as {"similarity": 0.5}. "auto" also
        accepts width and min_per_row: smaller values train faster, larger ones may be more
        accurate. For a list of trees, a list with the parameters of each.
    loss
        "squared_hinge" or "logistic".
    C
        Weight of the loss relative to the squared norm of the weights, in nodes with at most 10
        positive rows. "auto" is 1; with at least 10,000 rows, small fits may choose 0.5 or 2.
    n_trees
        Number of trees, None for that of `effort`; a label's probability is the mean over them.
        They differ by the seeds of "kmeans", "blend" and "random" trees, and by their rows if
        `max_samples` is set.
    max_samples
        Share of the rows drawn for each tree; None for all.
    class_weight
        "balanced" gives positive and negative rows of each node the same total weight (instead of
        `C_decay`). A mapping from labels to weights sets the weight of a row to the largest weight
        of its labels; labels that are not in it have a weight of 1.
    pos_neg_weight
        Factors of C for positive and for negative rows of each node; None for (1, 1).
    fit_intercept
        Whether node classifiers have an intercept.
    intercept_scaling
        Value of the constant feature whose weight is the intercept.
    tol
        A node's classifier has converged when no row violates its optimality condition by more.
    max_iter
        Maximum number of passes over the rows of each node. "auto" is 8, or 9 if rows are held
        back, and 20 for rankers. `fit` issues a ConvergenceWarning if it is too small for C.
    weight_threshold
        Weights with an absolute value of at most this are set to zero; of pairs of features, with
        at most 5/3 of it.
    max_nonzeros
        Maximum number of weights per node; the largest are kept. None for no limit.
    normalize
        Whether rows of X are scaled to length 1, in fit and in all predictions. Weights are then
        stored in 16 bits, or in 8 with pairs of features, and otherwise in 32.
    threshold
        Labels with at least this probability are predicted. Not used if rows have one class, nor
        after `tune_thresholds`.
    normalize_proba
        Whether searches divide the estimates of the children of each node by their sum, so that
        probabilities sum to 1 if rows have one class. Otherwise, only sums below 1 are, because a
        positive node has at least one positive child. "auto" normalizes if rows have one class.
    sparse_output
        Whether `predict` and a full `predict_proba(X)` return sparse matrices. "auto" returns what
        Y was: sparse for a sparse Y or label lists, dense for a dense indicator or classes. With
        many labels, use True, or pass `k` or `threshold`, whose results are always sparse.
    max_memory
        Memory to use in addition to X, Y and the finished weights, in each worker of `executor`: a
        number of bytes, or a string such as "500MB". Fewer threads are used if necessary. If X is
        memory-mapped, X and Y count as well: rows are read again from the files if they do not fit.
    checkpoint_dir
        Folder for finished parts of the training. If a fit with the same data and settings was
        interrupted, it continues from there to the same model, bit for bit. The folder is removed
        when training is done.
    warm_start
        Whether `fit` starts from the current trees and weights, learned by `fit` or `partial_fit`.
        The trees do not change, and the solver penalizes the distance to the current weights. The
        columns of X must be the same, and the trees must have all labels of Y.
    online_params
        Parameters of `partial_fit`: a mapping such as {"learning_rate": 0.5}, see
        `labeltree.online.OnlineParams`. They are read when the first rows are learned.
    n_jobs
        Number of threads. None uses all cores, or one inside a joblib worker. The model is the same
        for every number.
    random_state
        Seed of trees, samples of rows and the solver's order of rows.
    verbose
        If greater than 0, report progress and estimated time remaining to standard error.
    feature_weighting
        "auto", None to use values as they are, or exponents (p, q): a value x of a feature becomes
        x^p t^q, where t is the mean number of labels that two rows with the feature share. "auto"
        estimates the exponents if there are at least 1,000 rows, and uses none if small fits as for
        C are better without. Unless no row needs scaling, the values of X are copied once.
    interactions
        Pairs of features that rows get as additional features, which a linear classifier cannot
        find itself: the mean number of pairs per row, None for none, or "auto". Pairs are kept if
        rows with both features share more labels than rows with one of them. "auto" adds half as
        many pairs as rows have features if these are at most 40 on average and there are at least
        10,000 rows; as many for "high" and "best" `effort`, and none for "fast".
    C_decay
        "auto", None for the same C in all nodes, or exponents (p, q): in a node with n > 10
        positive rows, C becomes C (10 / n)^p for positive and C (10 / n)^q for negative rows.
        "auto" is (0.08, 0.15), or (0, 0.25) if every row has exactly one label.
    validation_fraction
        Share of the rows held back at first: each node scores them before it learns from them, and
        `fit` calibrates probabilities with these scores. "auto" is 5 %, from 250 to 2,000 rows, if
        there are at least 2,000 rows. None uses a fixed curve and evaluates no setting.
    node_estimator
        A scikit-learn classifier with predict_proba that is cloned and fitted for each node in
        Python, instead of the native linear classifier. For small problems.
    rerank
        Whether to train a second classifier for each label, on its rows and on the rows that the
        trees mistake for its rows. It re-ranks the 10 most probable labels, or k if k is larger.
        "auto" does so only if the rows that `validation_fraction` holds back gain from it. None is
        "auto" if `effort` is "best", else False.
    implications
        Whether a label is at least as probable as each label that implies it: all training rows
        with the one, at least 3, have the other. "auto" does so only if the rows that
        `validation_fraction` holds back gain from it, as if labels come with those above them in a
        hierarchy. `partial_fit` drops implications.
    label_weighting
        Unless None, the best k labels are ranked by probability times inverse propensity^p
        (`metrics.propensities`), rare labels higher; the probabilities stay the same. p is a number
        from 0 to 1; 1 has the highest expected PSP@k. "propensity" chooses p by the rows that
        `validation_fraction` holds back, usually at the cost of less than half a point of P@1.
    effort
        How much training time to spend on accuracy: "fast", "default", "high" or "best". It fills
        in `tree`, `n_trees`, `rerank` and `interactions` where they have their default values, and
        overrides no other value. For "best", held-back rows decide about more trees and re-ranking.
        `settings_` has the result.
    executor
        Where `fit` runs: None for the threads of this process, a pool of `concurrent.futures`, or a
        `labeltree.ray.RayExecutor`. The model is the same. It is neither saved nor pickled.

    Attributes
    ----------
    classes_ : array of the labels; label number j, column j of Y, is classes_[j]
    n_features_in_ : number of columns of X
    feature_names_in_ : names of the columns, if X was a DataFrame with text names
    trees_, tree_ : the trees, and the first of them
    model_ : trees with their weights
    interactions_ : the pairs of features that rows get, as rows of two columns of X
    feature_weights_, value_power_ : weight of each feature and exponent of the values, as set by
        `feature_weighting`
    thresholds_ : minimum probability at which each label is predicted, after `tune_thresholds`
    label_kind_ : the form of Y: "indicator", "sets" or "classes"
    training_cost_ : (row, node) pairs over all trees
    n_visits_ : rows visited by the solver over all nodes, counting passes
    n_iter_ : maximum number of passes over the training rows of a node
    n_rows_ : number of training rows
    tree_cost_ : after `partial_fit`, the mean number of nodes that a row visits, and a lower bound
    settings_ : builder and parameters of each tree, C, maximum number of passes, whether labels are
        re-ranked, and numbers of pairs of features (`n_interactions`) and of pairs of labels of
        which one implies the other (`n_implications`), as `fit` decided
    fit_report_ : times and peak memory of `fit`; not saved

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
        tree: str | LabelTree | Sequence[str | LabelTree] = by_name.AUTO,
        tree_params: Mapping[str, Any] | Sequence[Mapping[str, Any] | None] | None = None,
        loss: str = SolverSettings.loss,
        C: float | str = "auto",
        n_trees: int | None = None,
        max_samples: float | None = None,
        class_weight: str | Mapping[Any, float] | None = None,
        pos_neg_weight: Sequence[float] | None = None,
        fit_intercept: bool = True,
        intercept_scaling: float = SolverSettings.intercept_scaling,
        tol: float = SolverSettings.tol,
        max_iter: int | str = "auto",
        weight_threshold: float = SolverSettings.weight_threshold,
        max_nonzeros: int | None = SolverSettings.max_nonzeros,
        normalize: bool = True,
        threshold: float = 0.5,
        normalize_proba: bool | str = "auto",
        sparse_output: bool | str = "auto",
        max_memory: float | str | None = None,
        checkpoint_dir: str | os.PathLike[str] | None = None,
        warm_start: bool = False,
        online_params: Mapping[str, Any] | None = None,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = 0,
        verbose: int | bool = 0,
        feature_weighting: str | Sequence[float] | None = "auto",
        interactions: float | str | None = "auto",
        C_decay: str | Sequence[float] | None = "auto",
        validation_fraction: float | str | None = "auto",
        node_estimator: Any = None,
        rerank: bool | str | None = None,
        implications: bool | str = "auto",
        label_weighting: str | float | None = None,
        effort: str = efforts.DEFAULT,
        executor: Any = None,
    ) -> None:
        self.tree = tree
        self.tree_params = tree_params
        self.loss = loss
        self.C = C
        self.n_trees = n_trees
        self.max_samples = max_samples
        self.class_weight = class_weight
        self.pos_neg_weight = pos_neg_weight
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.tol = tol
        self.max_iter = max_iter
        self.weight_threshold = weight_threshold
        self.max_nonzeros = max_nonzeros
        self.normalize = normalize
        self.threshold = threshold
        self.normalize_proba = normalize_proba
        self.sparse_output = sparse_output
        self.max_memory = max_memory
        self.checkpoint_dir = checkpoint_dir
        self.warm_start = warm_start
        self.online_params = online_params
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.feature_weighting = feature_weighting
        self.interactions = interactions
        self.C_decay = C_decay
        self.validation_fraction = validation_fraction
        self.node_estimator = node_estimator
        self.rerank = rerank
        self.implications = implications
        self.label_weighting = label_weighting
        self.effort = effort
        self.executor = executor

    @one_at_a_time
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Build the trees and train their nodes; a failed fit does not change the estimator.

        Parameters
        ----------
        X
            Features: scipy.sparse, array or DataFrame. A float32 CSR matrix is used without a copy,
            even if it is mapped from a file, except for its values (see `feature_weighting`).
        y
            Labels: 0/1 indicator (sparse, array or DataFrame), one list of labels per row, or one
            class per row. Nested lists of the same length, at least 2, with only 0 and 1 are an
            indicator, like ``Y.tolist()``. If each row has 0 and 1 once, this could also be two
            labels per row and is refused: pass an array or sets.
        sample_weight
            Weight of each row. Rows with a weight of 0 are ignored.
        """
        features = validation.training_features(X)
        in_place = validation.is_copy(features, X)
        names = validation.feature_names(X)
        return self._fit_checked(features, y, sample_weight, names=names, in_place=in_place)

    def _fit_checked(
        self,
        features: FeatureMatrix,
        y: Any,
        sample_weight: Any = None,
        *,
        names: NDArray[Any] | None = None,
        in_place: bool = False,  # whether the values of features may be overwritten
        n_unheld: int = 0,  # rows at the end that are never held back
    ) -> Self:
        """Fit with checked features."""
        validation.check_params(self)
        before = self._state if self.warm_start else None
        settings = replace(self._settings(before), n_unheld=n_unheld)
        rows = self._labels(y, settings.forest)
        targets.check_same_rows(features, rows)
        if before is not None:
            validation.check_same_columns(features, before.n_features)
        weight = validation.row_weights(sample_weight, rows, self.class_weight)
        scaling = None if before is None else before.row_scaling
        if scaling is None:
            scaling, settings = checked_settings(features, rows, settings, weight)
        with scaled_rows(
            scaling, features, settings.executor, n_threads(self.n_jobs), in_place=in_place
        ) as scaled:
            settings = settings.with_pairs(len(scaling.pairs), scaled)
            fitted, model = self._trained(scaled, rows, weight, settings, before)
        warn_if_far(fitted, settings)
        n_rows = rows.n_rows + (0 if before is None else before.counts.n_rows)
        self._state = FittedState(
            label_kind=rows.kind,
            dense_labels=rows.is_dense,
            row_scaling=scaling,
            n_features=features.shape[1],
            counts=FitCounts(n_rows, fitted.training_cost, *fitted.counts[:2]),
            class_names=np.arange(rows.n_labels) if rows.names is None else rows.names,
            feature_names=names,
            laid_out=model,
            report=fitted.report,
            settings=efforts.decided(settings, fitted),
        )
        return self

    def _trained(
        self,
        X: FeatureMatrix,
        rows: LabelRows,
        weight: NDArray[np.float32] | None,
        settings: FitSettings,
        before: FittedState | None,
    ) -> tuple[Fitted, LabelModel]:
        """Return a forest that is trained on scaled rows, and its calibrated model."""
        with show_progress(quiet=self.verbose <= 0, lines=True) as progress:
            fitted = self._train(X, rows, weight, settings, progress)
        return fitted, self._calibrated_model(fitted, X, rows, before)

    def _settings(self, before: FittedState | None) -> FitSettings:
        validation.check_share("threshold", self.threshold)
        check_sparse_output(self.sparse_output)
        check_normalize_proba(self.normalize_proba)
        checked_label_weighting(self.label_weighting)
        seed = validation.as_seed(self.random_state)
        memory = None if self.max_memory is None else parse_bytes("max_memory", self.max_memory)
        validation.check_rerank(self)
        validation.check_implications(self)
        validation.check_interactions(self)
        open_ = efforts.filled(self.get_params(deep=False))
        forest = ForestSettings(
            open_["tree"], open_["tree_params"], open_["n_trees"], self.max_samples, seed
        )
        solver = self._solver_settings(seed)
        warm_start: tuple[WarmStart, ...] = ()
        if before is not None:
            model = before.model.native("warm_start")
            if self.node_estimator is not None:
                raise ValueError("warm_start requires native nodes, but node_estimator is set")
            warm_start = warm_start_of(model, self.loss, before.counts.n_rows)
            forest = replace(forest, tree=list(model.trees), tree_params=None)
        n_threads(self.n_jobs)
        return FitSettings(
            forest,
            solver,
            max_memory=memory,
            checkpoint_dir=None if self.checkpoint_dir is None else Path(self.checkpoint_dir),
            n_jobs=self.n_jobs,
            executor=as_executor(self.executor, self.n_jobs),
            warm_start=warm_start,
            normalize=self.normalize,
            normalize_proba=self.normalize_proba,
            validation_fraction=validation.checked_fraction(self.validation_fraction),
            auto_iter=self.max_iter == "auto",
            auto_c=self.C == "auto" and self.node_estimator is None,
            feature_weighting=validation.feature_powers(self.feature_weighting, self.normalize),
            interactions=open_["interactions"],
            weighs_labels=self.label_weighting == PROPENSITY,
            rerank=open_["rerank"],
            implications=self.implications,
            n_sure=open_["n_sure"],
        )

    def _solver_settings(self, seed: int) -> SolverSettings:
        decay = validation.auto_or_pair("C_decay", self.C_decay)
        return SolverSettings(
            loss=self.loss,
            C=validation.auto_or_number("C", self.C, auto=SolverSettings.C),
            C_decay=NO_DECAY if decay is None else None if decay == "auto" else decay,
            class_weight=validation.node_class_weight(self.class_weight),
            pos_neg_weight=validation.as_pair("pos_neg_weight", self.pos_neg_weight) or (1.0, 1.0),
            intercept_scaling=self.intercept_scaling if self.fit_intercept else 0.0,
            tol=self.tol,
            max_iter=validation.auto_or_integer("max_iter", self.max_iter) or MAX_ITER,
            weight_threshold=self.weight_threshold,
            max_nonzeros=self.max_nonzeros,
            weight_bytes=2 if self.normalize else 4,
            seed=seed,
        )

    def _labels(self, Y: Any, forest: ForestSettings) -> LabelRows:
        return validation.training_labels(Y, forest.given)

    def _train(
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
