"""Online methods of estimators: learn row by row, remove labels, rebuild the tree."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.metaestimators import available_if

from labeltree.arguments import check_integer, check_kind, check_padding, check_row, checked
from labeltree.data import LabelRows, as_labels, naming, targets
from labeltree.data.features import FeatureMatrix
from labeltree.data.labels import Kind
from labeltree.data.nested_lists import check_form, in_form
from labeltree.data.row_scaling import RowScaling, plain_scaling
from labeltree.estimators import validation
from labeltree.estimators.fitted import FittedAttributes
from labeltree.estimators.learning_lock import one_at_a_time
from labeltree.estimators.state import FitCounts, FittedState, Names
from labeltree.model.calibration import sibling_sums
from labeltree.online.learner import OnlineLearner
from labeltree.online.params import OnlineParams
from labeltree.online.tree_cost import TreeCost
from labeltree.threads import n_threads
from labeltree.training.forest import check_depth
from labeltree.trees import LabelTree
from labeltree.trees.by_name import AUTO

_REBUILT = "blend"  # builder for `rebuild_tree`, unless the estimator names another


def _has_one_tree(estimator: Any) -> bool:
    if estimator.n_trees not in (None, 1):
        raise AttributeError(
            f"partial_fit requires one tree, but n_trees is {estimator.n_trees}; set n_trees=1"
        )
    return True


class OnlineMixin(FittedAttributes):
    """`partial_fit` and related methods. Predictions use a copy of the weights, made on demand."""

    tree: Any
    tree_params: Any
    online_params: Mapping[str, Any] | None
    fit_intercept: bool
    intercept_scaling: float
    normalize: bool
    normalize_proba: bool | str
    random_state: Any
    class_weight: Any
    rerank: bool | str | None
    label_weighting: str | float | None

    # scikit-learn has no type information, so what it decorates is Any to mypy.
    @available_if(_has_one_tree)  # type: ignore[untyped-decorator]
    @one_at_a_time
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Update the model with each row once, in order; new labels are added to the tree.

        The first call starts from scratch, from the given `tree`, or from the model of `fit`. The
        model does not depend on how rows are split into calls, nor on the number of threads, to the
        last bit. A call that raises an error for its arguments changes nothing. Ctrl-C stops
        between two rows; the rows before it are learned.

        Parameters
        ----------
        X
            Features of the rows. The number of columns is fixed after the first call (see
            `labeltree.online.fold_columns`).
        y
            Labels of the rows, as in `fit`.
        classes
            Labels to add before any row is learned. Others are added when they first occur.
        sample_weight
            Weight of each row.

        Examples
        --------
        >>> from labeltree import PLTClassifier
        >>> clf = PLTClassifier().partial_fit([[1, 0]], [["tea"]])
        >>> clf = clf.partial_fit([[0, 1], [1, 0]], [["bread"], ["tea", "milk"]])
        >>> clf.classes_.tolist()
        ['tea', 'bread', 'milk']
        """
        features, rows = self._online_rows(X, y)
        weight = validation.row_weights(sample_weight, rows, None)
        check_kind("classes", classes, "Iterable[Hashable] | None")
        added = [] if classes is None else naming.name_array(list(classes)).tolist()
        learner = self._learner(features.shape[1], rows.kind)
        with self._learning(learner, rows, X):
            batch = learner.batch(features, rows, added)
            learner.learn(batch, weight, n_threads(self.n_jobs))
        return self

    @checked
    @one_at_a_time
    def predict_then_fit(
        self, X: Any, y: Any, k: int = 5
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Learn from rows like `partial_fit`, and return the prediction made before each row.

        This is progressive validation: each row is predicted before it is learned. It uses one
        thread.

        Parameters
        ----------
        X, y
            As in `partial_fit`.
        k
            Number of labels to predict.

        Returns
        -------
        labels
            (n_rows, k) positions in `classes_` after the call, padded with -1.
        probabilities
            (n_rows, k), padded with 0.

        Examples
        --------
        >>> from labeltree import PLTClassifier
        >>> clf = PLTClassifier()
        >>> labels, _ = clf.predict_then_fit([[1, 0], [0, 1], [1, 0]], ["tea", "jam", "tea"], k=1)
        >>> labels.tolist()
        [[-1], [0], [0]]
        """
        check_integer("k", k, minimum=1)
        features, rows = self._online_rows(X, y)
        learner = self._learner(features.shape[1], rows.kind)
        check_padding(features.shape[0], k, max(rows.n_labels, len(learner.names)))
        with self._learning(learner, rows, X):
            return learner.predict_then_fit(learner.batch(features, rows), k, rows.kind)

    @checked
    @one_at_a_time
    def remove_labels(self, labels: Sequence[Hashable]) -> Self:
        """Remove labels from the tree; they are no longer predicted.

        Other labels keep their weights. If a node is left with one child, the child replaces the
        node but has the weights of the node. The probability of the child is then that of the node,
        without the factor of the child.

        Examples
        --------
        >>> from labeltree import PLTClassifier
        >>> clf = PLTClassifier().partial_fit([[1, 0], [0, 1], [1, 1]], ["tea", "jam", "rum"])
        >>> clf.remove_labels(["jam"]).classes_.tolist()
        ['tea', 'rum']
        """
        state = self._fitted
        learner = state.online
        if state.label_kind == "indicator" and learner.has_columns:
            raise ValueError(
                "labels to remove must have names, but are columns of Y; train with lists of labels"
            )
        with learner.lock:
            learner.remove_labels(list(labels))
            self._publish(learner, state.label_kind, None)
        return self

    @checked
    @one_at_a_time
    def rebuild_tree(self, X: Any = None, y: Any = None, *, tree: str | None = None) -> Self:
        """Build a new tree and keep the weights of the parts that stay the same.

        Nodes whose children have the same labels as before keep the weights of all children. Other
        children start from the weights of the old node with the same labels, or from zero if there
        is none, and then learn from the given rows.

        Parameters
        ----------
        X, y
            Rows to build the tree from; by default the most recent `keep_rows` rows.
        tree
            Name of a builder; by default that of the estimator, or "blend" if that is "auto".

        Examples
        --------
        >>> from labeltree import PLTClassifier
        >>> X, Y = [[1, 0], [1, 0.1], [0, 1], [0, 1]], [["a", "b"], ["a", "b"], ["c"], ["d"]]
        >>> clf = PLTClassifier(online_params={"max_degree": 2}).partial_fit(X, Y)
        >>> clf.rebuild_tree(tree="cheapest").tree_cost_.cost <= 7
        True
        """
        state = self._fitted
        learner = state.online
        own = self.tree if isinstance(self.tree, str) and self.tree != AUTO else _REBUILT
        params = self.tree_params if tree is None else None
        seed = validation.as_seed(self.random_state)
        with learner.lock:
            batch = None
            if X is not None:
                features, rows = self._online_rows(X, y)
                batch = learner.batch(features, rows)
                if batch.new_names:
                    raise ValueError(
                        f"label {batch.new_names[0]!r} is new; call partial_fit with its rows first"
                    )
            learner.rebuild_tree(batch, tree or own, params, seed, n_threads(self.n_jobs))
            self._publish(learner, state.label_kind, None)
        return self

    def predict_proba_one(
        self, indices: NDArray[np.int32], values: NDArray[np.float32], k: int = 5
    ) -> dict[Any, float]:
        """Return the k most probable labels of one row, read directly from the online weights.

        Use it between updates: after an update, `top_k` has to copy all weights first.
        """
        state = self._fitted
        check_integer("k", k, minimum=1)
        check_row(indices, values)
        check_padding(1, k, len(state.classes))
        with state.online.lock:
            names = state.online.classes(state.label_kind)
            labels, probabilities = state.online.best(
                *state.row_scaling.of_row(indices, values), k, state.label_kind
            )
        pairs = zip(labels.tolist(), probabilities.tolist(), strict=True)
        return {_plain(names[j]): probability for j, probability in pairs if j >= 0}

    @property
    def tree_cost_(self) -> TreeCost:
        """Mean number of nodes that a recent row visits, and a lower bound for any tree."""
        return self._fitted.online.tree_cost()

    # State ----------------------------------------------------------------------------------------

    def _online_rows(self, X: Any, y: Any) -> tuple[FeatureMatrix, LabelRows]:
        """Return checked and scaled rows; the form of Y must not change."""
        state = self._state
        if self.class_weight is not None:
            raise ValueError(
                "class_weight must be None for partial_fit, but is set; pass sample_weight instead"
            )
        validation.check_params(self)
        features = validation.training_features(X) if state is None else self._checked(state, X)
        if y is None:
            raise ValueError("partial_fit requires y to be passed, but the target y is None")
        rows = self._online_labels(y if state is None else in_form(y, state.label_kind))
        targets.check_same_rows(features, rows)
        if state is not None and state.label_kind != rows.kind:
            raise ValueError(
                f"Y must have the same form in all calls, but was {state.label_kind} and is now "
                f"{rows.kind}"
            )
        return self._online_scaling()(features, n_threads(self.n_jobs)), rows

    def _online_scaling(self) -> RowScaling:
        """Return the scaling of rows: that of `fit`, or none that depends on labels."""
        if self._state is None:
            return plain_scaling(normalize=self.normalize)
        return self._state.row_scaling

    def _online_labels(self, y: Any) -> LabelRows:
        if targets.is_column(y):
            y = targets.as_classes(y)
        if self._state is None:
            check_form(y)
        rows = as_labels(y)
        if rows.kind == "classes" and not isinstance(y, LabelRows):
            targets.check_classes(y, rows)
        return replace(rows, is_dense=False) if isinstance(y, LabelRows) else rows

    def _learner(self, n_features: int, kind: Kind) -> OnlineLearner:
        """Return the current learner, or a new one, which is kept only if it learns something."""
        state = self._state
        if self.rerank or (state is not None and state.has_rankers):
            raise ValueError(
                "partial_fit requires a model without rankers, but rerank is or was True; fit with "
                "rerank=False"
            )
        if self.label_weighting is not None or (state is not None and state.has_label_weights):
            raise ValueError(
                "partial_fit requires a model without label weights, but label_weighting is or was "
                "set; fit with label_weighting=None"
            )
        params = OnlineParams.parse(self.online_params)
        scaling = self.intercept_scaling if self.fit_intercept else 0.0
        if state is None:
            siblings = sibling_sums(self.normalize_proba, kind)
            return self._new_learner(params, scaling, n_features, siblings)
        if state.learner is not None:
            return state.online
        model = state.model.native("partial_fit")
        learner = OnlineLearner.of_model(model, state.classes.tolist(), params, scaling)
        counts = (state.counts.n_rows, int(model.has_root), state.counts.training_cost)
        learner.native.counts = counts
        return learner

    def _new_learner(
        self, params: OnlineParams, scaling: float, n_features: int, siblings: str
    ) -> OnlineLearner:
        tree: LabelTree | None = None
        names: Sequence[Hashable] = ()
        if not isinstance(self.tree, str):
            if not isinstance(self.tree, LabelTree):
                raise ValueError("partial_fit requires one tree, but tree is a list")
            tree = self.tree
            check_depth(tree)
            names = range(tree.n_labels) if tree.names is None else tree.names
        return OnlineLearner.start(
            n_features, params, scaling, tree=tree, names=names, siblings=siblings
        )

    @contextmanager
    def _learning(self, learner: OnlineLearner, rows: LabelRows, X: Any) -> Iterator[None]:
        """Hold the lock, and publish what was learned, even if Ctrl-C interrupts it."""
        with learner.lock:
            before = learner.size
            try:
                yield
            finally:
                if learner.size != before:
                    self._publish(learner, rows.kind, X, is_dense=rows.is_dense)

    def _publish(
        self, learner: OnlineLearner, kind: Kind, X: Any, *, is_dense: bool = False
    ) -> None:
        """Replace the state by the current state of the learner."""
        n_rows, _, visited = learner.native.counts
        before, scaling = self._state, self._online_scaling()
        names: Names | None = (
            validation.feature_names(X) if before is None else before.feature_names
        )
        self._state = FittedState(
            label_kind=kind,
            dense_labels=is_dense if before is None else before.dense_labels,
            row_scaling=scaling,
            n_features=learner.native.n_features - len(scaling.pairs),
            counts=FitCounts(n_rows, training_cost=visited, n_visits=visited, n_iter=1),
            class_names=learner.classes(kind),
            feature_names=names,
            learner=learner,
            settings={} if before is None else before.settings,
        )


def _plain(name: Any) -> Any:
    return name.item() if isinstance(name, np.generic) else name
