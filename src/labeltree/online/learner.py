"""The state of an online model, with the names of its labels."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import asdict
from threading import RLock
from typing import Any, NamedTuple, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from labeltree import _core, cost
from labeltree.arguments import shown
from labeltree.cost.lower_bounds import lower_bound
from labeltree.data import LabelRows
from labeltree.data.arrays import take
from labeltree.data.features import FeatureMatrix, csr_arrays
from labeltree.data.labels import Kind
from labeltree.data.naming import are_positions, name_array
from labeltree.model.calibration import INDEPENDENT, fixed_calibration
from labeltree.model.layout import Layout
from labeltree.model.model import Model
from labeltree.online.params import OnlineParams
from labeltree.online.recent import RecentRows
from labeltree.online.stored import checked_content
from labeltree.online.tree_cost import TreeCost
from labeltree.training.nodes import NEVER
from labeltree.training.warm_start import check_finite_start
from labeltree.trees import LabelTree
from labeltree.trees.by_name import find_builder

_I64: TypeAlias = NDArray[np.int64]
_I32: TypeAlias = NDArray[np.int32]
_F32: TypeAlias = NDArray[np.float32]
_ARRAYS = {
    "parent": "i4",
    "label": "i4",
    "n_rows": "i8",
    "row_begin": "i8",
    "example_begin": "i8",
    "loose_begin": "i8",
    "features": "i4",
    "forms": "u1",
    "numbers": "f4",
    "examples": "i4",
    "values": "f4",
    "gradients": "f4",
    "loose_features": "i4",
    "loose_lanes": "i4",
    "loose_numbers": "f4",
}
# Minimum log-odds of the bias after a warm start. The bias of a node without positive rows would be
# too low for new rows to overcome; a root without a classifier gets half of it, with sign reversed.
_MIN_BIAS = np.float32(-10.0)
_NODES_AT_ONCE = 4096  # whose weights are copied together


class OnlineBatch(NamedTuple):
    """Rows with the learner's label numbers; new labels are in the order of their first rows."""

    X: FeatureMatrix
    rows: LabelRows
    added_names: list[Hashable]  # labels to add before any row is learned
    new_names: list[Hashable]
    n_columns: int  # columns of Y, whether or not a row has them; 0 if labels have names

    @property
    def arrays(self) -> tuple[_I64, _I32, _F32, _I64, _I32]:
        """The arguments of the native methods."""
        return *csr_arrays(self.X), self.rows.indptr, self.rows.indices


class OnlineLearner:
    """A growing tree with its weights, the names of its labels, and the most recent rows.

    The learner numbers labels in the order in which they occur. If Y is an indicator without names,
    name j is column j.
    """

    def __init__(
        self,
        native: _core.OnlineModel,
        names: Sequence[Hashable],
        options: OnlineParams,
        intercept_scaling: float,
        recent: RecentRows,
        siblings: str = INDEPENDENT,
    ) -> None:
        self.native, self.options, self.recent = native, options, recent
        self.intercept_scaling, self.siblings = intercept_scaling, siblings
        self.lock = RLock()  # held while a thread learns or reads the state
        self.names = list(names)
        self._number = {name: j for j, name in enumerate(self.names)}

    @classmethod
    def start(
        cls,
        n_features: int,
        options: OnlineParams,
        intercept_scaling: float,
        *,
        tree: LabelTree | None = None,
        names: Sequence[Hashable] = (),
        siblings: str = INDEPENDENT,
    ) -> Self:
        """Return a learner without any rows; if a tree is given, with its labels."""
        native = _core.OnlineModel(
            None if tree is None else tree._native, n_features, options.native(intercept_scaling)
        )
        recent = RecentRows(options.keep_rows, n_features)
        return cls(native, names, options, intercept_scaling, recent, siblings)

    @classmethod
    def of_model(
        cls,
        model: Model,
        names: Sequence[Hashable],
        options: OnlineParams,
        intercept_scaling: float,
    ) -> Self:
        """Return a learner that starts from the weights of `fit`."""
        if len(model.trees) > 1:
            raise ValueError(f"partial_fit requires one tree, but the model has {len(model.trees)}")
        tree = model.trees[0]
        made = cls.start(
            model.n_features,
            options,
            intercept_scaling or 1.0,
            tree=tree,
            names=names,
            siblings=model.calibration.siblings,
        )
        slope, intercept = model.links(0)
        for v in range(-1, tree.n_nodes):
            _, indptr, features, weights, biases, _ = model._native[0].of_children(v)
            if len(biases) == 0:
                continue
            first = 0 if v < 0 else int(tree.first_child[v])
            nodes = slice(first, first + len(biases))
            with np.errstate(over="ignore", invalid="ignore"):
                scaled = np.repeat(slope[nodes], np.diff(indptr)) * weights
                log_odds = np.maximum(slope[nodes] * biases + intercept[nodes], _MIN_BIAS)
            check_finite_start(scaled, log_odds)
            if v < 0 and not model.has_root:
                log_odds = np.full(1, -_MIN_BIAS / 2, np.float32)
            made.native.warm_start(
                v, indptr, features, scaled, log_odds, options.warm_start_strength
            )
        return made

    # Labels -------------------------------------------------------------------------------------

    def batch(
        self, X: FeatureMatrix, rows: LabelRows, classes: Sequence[Hashable] = ()
    ) -> OnlineBatch:
        """Return rows with the learner's label numbers, without learning or adding anything."""
        by_column = rows.kind == "indicator" and rows.names is None
        used, first = np.unique(rows.indices, return_index=True)
        number = np.full(rows.n_labels, -1, np.int32)
        added_names = [name for name in dict.fromkeys(classes) if name not in self._number]
        added = {name: len(self.names) + j for j, name in enumerate(added_names)}
        new_names: list[Hashable] = []
        for j in used[np.argsort(first)].tolist():
            name = rows.name(j)
            known = self._number.get(name, added.get(name, -1))
            if known < 0:
                known = len(self.names) + len(added_names) + len(new_names)
                new_names.append(name)
            number[j] = known
        n_labels = len(self.names) + len(added_names) + len(new_names)
        numbered = sparse.csr_array(
            (np.ones(len(rows.indices), np.uint8), number[rows.indices], rows.indptr),
            shape=(rows.n_rows, n_labels),
        )
        numbered.sort_indices()
        indices = numbered.indices.astype(np.int32, copy=False)
        made = LabelRows(rows.indptr, indices, n_labels, None, rows.kind)
        return OnlineBatch(X, made, added_names, new_names, rows.n_labels if by_column else 0)

    def add_labels(self, names: Sequence[Hashable]) -> None:
        """Add labels before any row has them."""
        new = [name for name in dict.fromkeys(names) if name not in self._number]
        self.native.add_labels(len(new))
        self._add_names(new)

    @property
    def size(self) -> tuple[int, int]:
        """Number of learned rows and number of labels."""
        return self.native.counts[0], len(self.names)

    @property
    def has_columns(self) -> bool:
        """Whether labels are columns of Y, which cannot be removed."""
        return all(isinstance(name, int | np.integer) for name in self.names)

    def _add_names(self, names: Sequence[Hashable]) -> None:
        for name in names:
            self._number[name] = len(self.names)
            self.names.append(name)

    def classes(self, kind: Kind) -> NDArray[Any]:
        """Return the names of the labels in the order of predictions."""
        names = name_array(self.names)
        if kind == "indicator" and names.dtype.kind in "iu":
            return np.sort(names)
        return names

    def positions(self, kind: Kind) -> NDArray[np.int32]:
        """Return the position in `classes` of each label number."""
        names = name_array(self.names)
        positions = np.arange(len(names), dtype=np.int32)
        if kind == "indicator" and names.dtype.kind in "iu":
            positions[np.argsort(names, kind="stable")] = np.arange(len(names), dtype=np.int32)
        return positions

    # Learning -----------------------------------------------------------------------------------

    def learn(self, batch: OnlineBatch, weight: NDArray[np.float32] | None, n_threads: int) -> None:
        """Learn rows in their order."""
        self.add_labels(batch.added_names)
        given = np.empty(0, np.float32) if weight is None else weight
        try:
            self.native.learn(*batch.arrays, given, n_threads)
        finally:
            self._after(batch)

    def predict_then_fit(
        self, batch: OnlineBatch, k: int, kind: Kind
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Learn rows, and return the best labels of each row, predicted before it is learned."""
        try:
            labels, probabilities = self.native.predict_then_fit(*batch.arrays, k, self.sums)
        finally:
            self._after(batch)
        return self._in_classes(labels, kind).reshape(-1, k), probabilities.reshape(-1, k)

    def best(
        self, indices: NDArray[np.int32], values: NDArray[np.float32], k: int, kind: Kind
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Return the k best labels of one row as positions in `classes`, padded with -1."""
        labels, probabilities = self.native.best(indices, values, k, self.sums)
        return self._in_classes(labels, kind), probabilities

    @property
    def sums(self) -> _core.SiblingSums:
        """How estimates of siblings are normalized."""
        return _core.SiblingSums[self.siblings]

    def _in_classes(self, labels: NDArray[np.int32], kind: Kind) -> NDArray[np.int64]:
        positions = np.append(self.positions(kind), -1)
        return positions[labels].astype(np.int64)

    def _after(self, batch: OnlineBatch) -> None:
        # After an interrupt between rows, the labels of later rows have not been added.
        grown = self.native.n_labels - len(self.names)
        self._add_names(batch.new_names[:grown])
        if grown < len(batch.new_names):
            return
        self.recent.add(batch.X, batch.rows)
        self.add_labels(range(batch.n_columns))
        if self.options.max_weights is not None:
            self.native.prune(self.options.max_weights)

    def remove_labels(self, names: Sequence[Hashable]) -> None:
        """Remove labels and the leaves that hold them."""
        for name in names:
            if name not in self._number:
                raise ValueError(f"labels to remove must be in classes_, but {shown(name)} is not")
        keep = np.ones(len(self.names), np.uint8)
        keep[[self._number[name] for name in names]] = 0
        number = np.where(keep == 1, np.cumsum(keep, dtype=np.int64) - 1, -1)
        self.native.remove_labels(keep)
        self.recent.renumber(number)
        self.names = [name for name, kept in zip(self.names, keep, strict=True) if kept]
        self._number = {name: j for j, name in enumerate(self.names)}

    def rebuild_tree(
        self,
        batch: OnlineBatch | None,
        builder: str,
        tree_params: Mapping[str, Any] | None,
        seed: int,
        n_threads: int,
    ) -> None:
        """Build a new tree from rows, the recent ones by default, and keep weights that apply."""
        X, rows = self.recent.features, self.recent.rows(len(self.names))
        if batch is not None:
            X, rows = batch.X, batch.rows
        if rows.n_rows == 0 or rows.n_labels < 2:
            return
        tree = find_builder(builder)(
            X, rows, seed=seed, n_jobs=n_threads, options=tree_params or {}
        )
        self.native = self.native.rebuilt(
            tree._native, *csr_arrays(X), rows.indptr, rows.indices, n_threads
        )

    # Reading --------------------------------------------------------------------------------------

    def tree(self) -> LabelTree:
        """Return the tree with the learner's label numbers."""
        if not self.names:
            raise ValueError(
                "predictions need at least one label, but no row has had one; call partial_fit "
                "with labels first"
            )
        return LabelTree.from_parents(*self.native.nodes())

    def snapshot(self, kind: Kind) -> tuple[Model, NDArray[Any]]:
        """Return the current model with its labels."""
        with self.lock:
            return self.freeze(kind), self.classes(kind)

    def tree_cost(self) -> TreeCost:
        """Return the cost of the recent rows with this tree, and its lower bound for any tree."""
        with self.lock:
            rows = self.recent.rows(len(self.names))
            tree = self.tree() if rows.n_rows > 0 and rows.n_labels > 0 else None
        if tree is None:
            return TreeCost(float("nan"), float("nan"), 0)
        total = cost.training_cost(tree, rows)
        return TreeCost(total / rows.n_rows, lower_bound(rows) / rows.n_rows, rows.n_rows)

    def freeze(self, kind: Kind) -> Model:
        """Return the current model with weights laid out for searches."""
        numbered = self.tree()
        classes = self.classes(kind)
        tree = LabelTree.from_parents(
            numbered.parent,
            np.append(self.positions(kind), -1)[numbered.label].astype(np.int32),
            names=None if are_positions(classes) else classes.tolist(),
        )
        n_features = self.native.n_features
        trained = np.ones(tree.n_nodes, np.uint8)
        builder = _core.LayoutBuilder(tree._native, n_features, trained, NEVER, 4)
        for first in range(0, tree.n_nodes, _NODES_AT_ONCE):
            last = min(first + _NODES_AT_ONCE, tree.n_nodes)
            builder.add(*self.native.weights(first, last, self.options.weight_threshold)[:-1])
        layout = Layout(*builder.finish())
        has_root = self.native.counts[1] > 0
        calibration = fixed_calibration("logistic", kind, self.siblings)
        return Model([tree], [layout], "logistic", n_features, has_root, calibration=calibration)

    # Files and pickles ----------------------------------------------------------------------------

    def to_arrays(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """Return everything but the names: values that JSON can hold, and arrays by name."""
        meta: dict[str, Any] = {
            "params": asdict(self.options),
            "intercept_scaling": self.intercept_scaling,
            "counts": list(self.native.counts),
            "n_features": self.native.n_features,
        }
        if self.siblings != INDEPENDENT:
            meta["siblings"] = self.siblings
        arrays: dict[str, Any] = dict(zip(_ARRAYS, self.native.arrays(), strict=True))
        kept = {f"recent.{name}": array for name, array in self.recent.to_arrays().items()}
        return meta, {**arrays, **kept}

    @classmethod
    def from_arrays(
        cls, meta: Any, arrays: Mapping[str, NDArray[Any]], names: Sequence[Hashable]
    ) -> Self:
        """Restore the learner from `to_arrays`.

        Raises
        ------
        ValueError
            If a part is missing or breaks a rule that keeps native code within the arrays.
        """
        options, intercept_scaling, counts, n_features, siblings = checked_content(meta)
        taken = {name: take(arrays, name, dtype) for name, dtype in _ARRAYS.items()}
        native = _core.OnlineModel.restore(
            counts=counts,
            n_features=n_features,
            settings=options.native(intercept_scaling),
            **taken,
        )
        if native.n_labels != len(names):
            raise ValueError(f"there must be {native.n_labels} names, but there are {len(names)}")
        kept = {
            name.removeprefix("recent."): array
            for name, array in arrays.items()
            if name.startswith("recent.")
        }
        recent = RecentRows.from_arrays(kept, options.keep_rows, n_features, len(names))
        return cls(native, names, options, intercept_scaling, recent, siblings)

    def __reduce__(self) -> tuple[Any, ...]:
        with self.lock:
            return type(self).from_arrays, (*self.to_arrays(), list(self.names))
