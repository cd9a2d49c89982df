"""What estimators do beside `fit`: learn row by row, forget labels, build their tree anew."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.metaestimators import available_if

from labeltree.data import LabelRows, as_labels, targets
from labeltree.data.features import FeatureMatrix
from labeltree.data.row_scaling import RowScaling, plain_scaling
from labeltree.estimators import validation
from labeltree.model.model import Model
from labeltree.online.learner import Lessons, OnlineLearner
from labeltree.online.params import OnlineOptions
from labeltree.online.tree_cost import TreeCost
from labeltree.threads import n_threads
from labeltree.trees import LabelTree
from labeltree.trees.by_name import AUTO

# What a fit leaves behind that the learner makes anew when it is asked for.
_DERIVED = ("model_", "trees_", "tree_", "classes_", "_stored_names")
_RETREE = "blend"


def _has_one_tree(estimator: Any) -> bool:
    if estimator.n_trees != 1:
        raise AttributeError(
            f"partial_fit is for one tree, but n_trees is {estimator.n_trees}; set n_trees=1"
        )
    return True


class OnlineMixin:
    """`partial_fit` and what comes with it. Answers come from a copy made when they are asked."""

    # What the estimators have that mix this in.
    tree: Any
    tree_options: Mapping[str, Any] | None
    online: Mapping[str, Any] | None
    bias: float
    normalize: bool
    n_jobs: int | None
    random_state: Any
    class_weight: Any
    label_kind_: str
    n_features_in_: int
    n_rows_: int
    training_cost_: int
    classes_: Any
    _online: OnlineLearner | Callable[[], OnlineLearner]

    # scikit-learn has no type information, so what it decorates is Any to mypy.
    @available_if(_has_one_tree)  # type: ignore[untyped-decorator]
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn rows once, in their order; labels never seen before get a place in the tree.

        The first call starts from nothing, from the given `tree`, or from what `fit` has learnt.
        Rows in one call or in many give the same model, to the last bit, on any number of threads.

        Parameters
        ----------
        X
            Features of the rows, with as many columns as ever (see `labeltree.online.fold_columns`
            for more).
        y
            Labels of the rows, as in `fit`.
        classes
            Labels to make room for before any row is learnt. Others are taken, too.
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
        lessons, kind, learner = self._lessons(X, y, classes)
        weight = validation.row_weights(sample_weight, lessons.rows, None)
        self._begin(learner, kind, X, lessons)
        learner.learn(lessons, weight, n_threads(self.n_jobs))
        self._count(learner)
        return self

    def progressive(
        self, X: Any, y: Any, k: int = 5
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Learn rows as `partial_fit` does, and return what was answered just before each.

        This is progressive validation: no row is learnt before it is answered. On one thread.

        Parameters
        ----------
        X, y
            As in `partial_fit`.
        k
            Number of labels to answer.

        Returns
        -------
        labels
            (n_rows, k) positions in `classes_`, as it is afterwards; -1 where there are fewer.
        probabilities
            (n_rows, k); 0 where there is no label.

        Examples
        --------
        >>> from labeltree import PLTClassifier
        >>> clf = PLTClassifier()
        >>> labels, _ = clf.progressive([[1, 0], [0, 1], [1, 0]], ["tea", "jam", "tea"], k=1)
        >>> labels.tolist()
        [[-1], [0], [0]]
        """
        if k < 1:
            raise ValueError(f"k must be at least 1, but is {k}")
        lessons, kind, learner = self._lessons(X, y, None)
        self._begin(learner, kind, X, lessons)
        found = learner.progressive(lessons, k, kind)
        self._count(learner)
        return found

    def retire(self, labels: Sequence[Hashable]) -> Self:
        """Forget labels: they leave the tree, and no answer has them any more.

        Other labels keep their weights. Where a node is left with one child, the child takes the
        node's place with the node's weights, so its probability is then that of the node: no longer
        multiplied with its own part.

        Examples
        --------
        >>> from labeltree import PLTClassifier
        >>> clf = PLTClassifier().partial_fit([[1, 0], [0, 1], [1, 1]], ["tea", "jam", "rum"])
        >>> clf.retire(["jam"]).classes_.tolist()
        ['tea', 'rum']
        """
        learner = self._learner()
        if self.label_kind_ == "indicator" and self._by_column(learner):
            raise ValueError("labels that are columns of Y cannot be retired; give them names")
        learner.retire(list(labels))
        self._forget_copies(learner, self.label_kind_, self.n_features_in_)
        return self

    def retree(self, X: Any = None, y: Any = None, *, tree: str | None = None) -> Self:
        """Build the tree anew and keep what was learnt as far as it still holds.

        Parents whose children have the same labels as before keep all. Other children start from
        the weights of the node that had their labels, if there was one, or from nothing, and then
        learn the given rows.

        Parameters
        ----------
        X, y
            Rows to build from; the last `keep_rows` rows by default.
        tree
            Name of a builder; by default that of the estimator, or "blend", the cheapest tree of
            like labels, if that is "auto".

        Examples
        --------
        >>> from labeltree import PLTClassifier
        >>> X, Y = [[1, 0], [1, 0.1], [0, 1], [0, 1]], [["a", "b"], ["a", "b"], ["c"], ["d"]]
        >>> clf = PLTClassifier(online={"max_degree": 2}).partial_fit(X, Y)
        >>> clf.retree(tree="cheapest").tree_cost_.cost <= 7
        True
        """
        learner = self._learner()
        lessons = None
        if X is not None:
            features, rows = self._rows(X, y)
            lessons = learner.lessons(features, rows)
            if lessons.new_names:
                raise ValueError(
                    f"label {lessons.new_names[0]!r} is new; call partial_fit with its rows first"
                )
        own = self.tree if isinstance(self.tree, str) and self.tree != AUTO else _RETREE
        name = tree or own
        seed = validation.as_seed(self.random_state)
        options = self.tree_options if tree is None else None
        learner.retree(lessons, name, options, seed, n_threads(self.n_jobs))
        self._forget_copies(learner, self.label_kind_, self.n_features_in_)
        return self

    def predict_proba_one(
        self, indices: NDArray[np.int32], values: NDArray[np.float32], k: int = 5
    ) -> dict[Any, float]:
        """Return the k most probable labels of one row, straight from the weights being learnt.

        Between updates this is the fast way: `top_k` would lay all weights out first.
        """
        learner = self._learner()
        values = self.scaling_.of_row(indices, values)
        labels, probabilities = learner.best(indices, values, k, self.label_kind_)
        names = self.classes_
        pairs = zip(labels.tolist(), probabilities.tolist(), strict=True)
        return {_plain(names[j]): probability for j, probability in pairs if j >= 0}

    @property
    def tree_cost_(self) -> TreeCost:
        """Nodes that one of the last rows visits, and how few it could be with any tree."""
        return self._learner().tree_cost()

    # What `fit` sets and the learner makes when it is asked for -----------------------------------

    @cached_property
    def model_(self) -> Any:
        return self._learner().freeze(self.label_kind_)

    @cached_property
    def trees_(self) -> list[LabelTree]:
        return list(self.model_.trees)

    @cached_property
    def tree_(self) -> LabelTree:
        return self.trees_[0]

    # State ----------------------------------------------------------------------------------------

    def _learner(self) -> OnlineLearner:
        """Return the online state, which a file keeps as arrays until somebody wants it."""
        online = self.__dict__.get("_online")
        if online is None:
            raise AttributeError("there is no online state; call partial_fit first")
        if not isinstance(online, OnlineLearner):
            online = self._online = online()
        return online

    def _rows(self, X: Any, y: Any) -> tuple[FeatureMatrix, LabelRows]:
        if self.class_weight is not None:
            raise ValueError("class_weight is for fit only; give sample_weight instead")
        is_first = "n_features_in_" not in self.__dict__
        features = (
            validation.training_features(X) if is_first else validation.query_features(self, X)
        )
        if y is None:
            raise ValueError("partial_fit requires y to be passed, but the target y is None")
        rows = self._online_labels(y)
        targets.check_same_rows(features, rows)
        return self._scaling()(features, n_threads(self.n_jobs)), rows

    def _scaling(self) -> RowScaling:
        """Return how rows are scaled; what fit finds from labels is not known row by row."""
        plain = plain_scaling(normalize=self.normalize)
        scaling: RowScaling = self.__dict__.get("scaling_", plain)
        return scaling

    def _online_labels(self, y: Any) -> LabelRows:
        if targets.is_column(y):
            y = targets.as_classes(y)
        rows = as_labels(y)
        if rows.kind == "classes" and not isinstance(y, LabelRows):
            targets.check_classes(y, rows)
        return rows

    def _lessons(self, X: Any, y: Any, classes: Any) -> tuple[Lessons, str, OnlineLearner]:
        options = OnlineOptions.parse(self.online)
        features, rows = self._rows(X, y)
        learner = self._learner_for(options, features.shape[1], rows.kind)
        if classes is not None:
            learner.add_labels(np.asarray(classes).tolist())
        return learner.lessons(features, rows), self._kind(rows.kind), learner

    def _kind(self, kind: str) -> str:
        return str(self.__dict__.get("label_kind_", kind))

    def _learner_for(self, options: OnlineOptions, n_features: int, kind: str) -> OnlineLearner:
        """Return the learner: the one there is, or a new one."""
        if self._kind(kind) != kind:
            raise ValueError(
                f"Y was given as {self.label_kind_} so far, but now as {kind}; keep to one of them"
            )
        if "_online" in self.__dict__:
            return self._learner()
        if "model_" in self.__dict__:
            model = self.__dict__["model_"]
            if not isinstance(model, Model):
                raise ValueError("partial_fit is for native nodes, but nodes are estimators")
            learner = OnlineLearner.of_model(model, self.classes_.tolist(), options, self.bias)
            learner.native.counts = (self.n_rows_, int(model.has_root), self.training_cost_)
            return learner
        return self._new_learner(options, n_features)

    def _new_learner(self, options: OnlineOptions, n_features: int) -> OnlineLearner:
        tree: LabelTree | None = None
        names: Sequence[Hashable] = ()
        if not isinstance(self.tree, str):
            if not isinstance(self.tree, LabelTree):
                raise ValueError("partial_fit needs one tree, but tree is a list")
            tree = self.tree
            names = range(tree.n_labels) if tree.names is None else tree.names
        return OnlineLearner.start(n_features, options, self.bias, tree=tree, names=names)

    def _by_column(self, learner: OnlineLearner) -> bool:
        return all(isinstance(name, int | np.integer) for name in learner.names)

    def _begin(self, learner: OnlineLearner, kind: str, X: Any, lessons: Lessons) -> None:
        is_first = "n_features_in_" not in self.__dict__
        self._forget_copies(learner, kind, lessons.X.shape[1])
        if is_first:
            validation.keep_feature_names(self, X)

    def _forget_copies(self, learner: OnlineLearner, kind: str, n_features: int) -> None:
        for name in _DERIVED:
            self.__dict__.pop(name, None)
        self._online = learner
        self.label_kind_ = kind
        self.n_features_in_ = n_features
        self.scaling_ = self._scaling()
        self._count(learner)

    def _count(self, learner: OnlineLearner) -> None:
        n_rows, _, visited = learner.native.counts
        self.n_rows_, self.training_cost_, self.n_visits_ = n_rows, visited, visited
        self.__dict__.setdefault("peak_memory_", 0)
        self.classes_ = learner.classes(self.label_kind_)


def _plain(name: Any) -> Any:
    return name.item() if isinstance(name, np.generic) else name
