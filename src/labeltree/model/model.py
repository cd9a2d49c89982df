"""A forest of label trees with their node classifiers: the result of training, used for search."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from labeltree import _core
from labeltree.arguments import MAX_INT32, check_integer, check_padding, check_row
from labeltree.data import LabelRows
from labeltree.data.features import FeatureMatrix, csr_arrays
from labeltree.data.row_scaling import AS_THEY_ARE, RowScaling
from labeltree.model import stored
from labeltree.model.calibration import AT_LEAST_ONE, ONE, Calibration
from labeltree.model.curve import Curve
from labeltree.model.implications import Implications
from labeltree.model.interface import NodeClassifier, PathScores, check_query
from labeltree.model.label_limits import LabelLimits
from labeltree.model.layout import LAYOUT_DTYPES, Layout, NodeWeights
from labeltree.model.links import NO_FACTORS, fixed_links
from labeltree.model.rankers import Rankers
from labeltree.model.stored import MODEL_META, StoredPart, stored_layout, stored_tree
from labeltree.threads import n_threads
from labeltree.trees import LabelTree

NO_KNOTS = np.empty(0), np.empty(0)  #: of no curve
# What a model is made of, in the order of its parameters.
_PARTS = (
    *("trees", "layouts", "link", "n_features", "has_root", "calibration", "rankers"),
    "implications",
)


class Model:
    """Trees over the same labels; a label's probability is the mean over the trees.

    Parameters
    ----------
    trees
        One or more trees.
    layouts
        The node classifiers of each tree. Their arrays are used without a copy, even if they are
        mapped from a file.
    link
        How scores become probabilities: the loss that the weights were fitted with.
    n_features
        Number of columns of X.
    has_root
        Whether the root has a classifier of its own, because some training rows had no label.
    calibration
        How scores become probabilities, and probabilities become label sets; None for the link of
        the loss.
    rankers
        Classifiers that re-rank the labels that the trees find; None for none.
    implications
        Labels that imply others, which are then at least as probable; None for none.
    """

    def __init__(
        self,
        trees: Sequence[LabelTree],
        layouts: Sequence[Layout],
        link: str,
        n_features: int,
        has_root: bool,
        calibration: Calibration | None = None,
        rankers: Rankers | None = None,
        implications: Implications | None = None,
    ) -> None:
        self.trees, self.layouts, self.link = list(trees), list(layouts), link
        self.n_features, self.has_root = n_features, has_root
        self.calibration = calibration or Calibration()
        curve = self.calibration.curve
        self._knots = NO_KNOTS if curve is None else (curve.x, curve.y)
        self._own_limits = self.calibration.limits(self.n_labels)
        self._native = [
            _core.TreeModel(
                tree._native,
                n_features,
                *layout,
                *self._native_links(t),
                has_root=has_root,
                siblings=_core.SiblingSums[self.calibration.siblings],
            )
            for t, (tree, layout) in enumerate(zip(trees, layouts, strict=True))
        ]
        self.rankers = rankers
        self._rankers = None if rankers is None else rankers.native(trees[0], n_features)
        n_candidates = 0 if rankers is None else rankers.n_candidates
        self.implications = implications
        self._implied = None if implications is None else implications.native(self.n_labels)
        self._stages = _core.Stages(self._native, self._rankers, n_candidates, self._implied)

    def links(self, t: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return slope and intercept of each node of tree t."""
        slope, intercept = self.calibration.slope, self.calibration.intercept
        if slope is not None and intercept is not None:
            return slope[t], intercept[t]
        return self.fixed_links(t, self.link)

    def fixed_links(self, t: int, loss: str) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return slope and intercept of each node of tree t for scores of a loss."""
        of_trees = self.calibration.factors if loss == self.link else None
        factors = None if of_trees is None else of_trees[t]
        n_nodes = self.trees[t].n_nodes
        return fixed_links(loss, n_nodes, factors, n_siblings=self._n_siblings(t))

    def _native_links(self, t: int) -> tuple[NDArray[np.float32], ...]:
        """Return slopes, intercepts and factors of tree t; one number may stand for all nodes."""
        slope, intercept = self.calibration.slope, self.calibration.intercept
        if slope is not None and intercept is not None:
            return slope[t], intercept[t], NO_FACTORS
        n_siblings, of_trees = self._n_siblings(t), self.calibration.factors
        n_links = 1 if n_siblings is None else len(n_siblings)
        links = fixed_links(self.link, n_links, n_siblings=n_siblings)
        return *links, NO_FACTORS if of_trees is None else of_trees[t]

    def _n_siblings(self, t: int) -> NDArray[np.int32] | None:
        """Return the number of siblings of each node, itself included, if links depend on it."""
        if self.calibration.siblings != ONE:
            return None
        tree = self.trees[t]
        return np.asarray(tree.degree[np.maximum(tree.parent, 0)])

    @property
    def n_labels(self) -> int:
        """Number of labels."""
        return self.trees[0].n_labels

    @property
    def curve(self) -> Curve | None:
        """Map from products along paths, averaged over trees, to probabilities of labels."""
        return self.calibration.curve

    @property
    def n_weights(self) -> int:
        """Number of stored weights of trees and rankers; counted again on each access."""
        rankers = [] if self._rankers is None else [self._rankers]
        return sum(native.count() for native in [*self._native, *rankers])

    @property
    def n_bytes(self) -> int:
        """Size of the weights and their index in bytes."""
        rankers = [] if self.rankers is None else [self.rankers.layout]
        return sum(layout.n_bytes for layout in [*self.layouts, *rankers])

    def weights(self, tree: int = 0) -> NodeWeights:
        """Return a copy of the weights of a tree, by node."""
        native = self._native[tree]
        families = [native.of_children(v) for v in range(-1, self.trees[tree].n_nodes)]
        _, indptr, features, values, bias, _ = zip(*families, strict=True)
        lengths = np.concatenate([np.diff(one) for one in indptr])
        return NodeWeights(
            np.concatenate([[0], np.cumsum(lengths)]),
            np.concatenate(features),
            np.concatenate(values),
            np.concatenate(bias),
        )

    def calibrated(self, calibration: Calibration) -> Self:
        """Return the same model, sharing its arrays, with another calibration."""
        return self._changed(calibration=calibration)

    def quantized(self) -> Self:
        """Return the model with 8-bit weights: 255 levels per node."""
        return self.with_weight_bytes(1)

    def with_weight_bytes(self, weight_bytes: int) -> Self:
        """Return the model with weights of 4, 2 or 1 bytes; see `SolverSettings`."""
        layouts = [Layout(*native.with_weight_bytes(weight_bytes)) for native in self._native]
        ranked = self.rankers
        if ranked is not None and self._rankers is not None:
            ranked = replace(ranked, layout=Layout(*self._rankers.with_weight_bytes(weight_bytes)))
        return self._changed(layouts=layouts, rankers=ranked)

    def with_rankers(self, rankers: Rankers | None) -> Self:
        """Return the same model, sharing its arrays, with other rankers."""
        return self._changed(rankers=rankers)

    def with_implications(self, implications: Implications | None) -> Self:
        """Return the same model, sharing its arrays, with other implications."""
        return self._changed(implications=implications)

    def _changed(self, **changes: Any) -> Self:
        return type(self)(**{name: getattr(self, name) for name in _PARTS} | changes)

    def search(
        self,
        X: FeatureMatrix,
        *,
        k: int | None = None,
        threshold: float = 0.0,
        limits: LabelLimits | None = None,
        by_weight: bool = False,
        beam: int | None = None,
        nodes_per_step: int = 1,
        scaling: RowScaling = AS_THEY_ARE,
        n_threads: int = 1,
        held: Sequence[_core.HeldScores] = (),
    ) -> tuple[sparse.csr_array[np.float32, tuple[int, int]], NDArray[np.int64]]:
        """Return probabilities, best first in each row, and classifiers evaluated per row.

        The indices of the matrix are not sorted: the entries of a row are ordered by probability.

        Parameters
        ----------
        X
            Features of the rows, checked by `as_features`.
        k
            Maximum number of labels per row, the most probable; None for all. Rankers re-rank more
            labels than these, if they have more candidates.
        threshold
            Minimum probability; labels below it are not returned.
        limits
            Thresholds and weights by label.
        by_weight
            Whether the weights of the calibration rank the best k labels, unless limits are given.
        beam
            Maximum number of nodes per level that a row continues with; None for an exact search.
            For models of one tree.
        nodes_per_step
            Maximum number of nodes that a row of an exact search evaluates before it looks at the
            results. 1 evaluates the fewest. More nodes of similar probability are faster where many
            rows evaluate the same nodes. The labels are the same.
        scaling
            Scaling of the rows, applied during the search without a copy of X.
        n_threads
            Number of threads; the results are the same for every number.
        held
            Scores of the rows in each tree, where they were held back in training.
        """
        check_query(k, threshold)
        self._check_beam(beam)
        curve = self.calibration.curve
        if by_weight and k is not None and limits is None:
            limits = self._own_limits
        raw = limits if limits is None or curve is None else limits.before(curve)
        self._check_width(X, scaling)
        indptr, labels, probabilities, calls = _core.search(
            self._stages,
            [] if raw is None else raw.native(self.trees, self._implied),
            list(held),
            *csr_arrays(X),
            k=min(k or 0, self.n_labels),
            threshold=threshold if curve is None else float(curve.before(threshold)),
            beam=min(beam or 0, MAX_INT32),
            nodes_per_step=nodes_per_step,
            scaling=scaling._native,
            curve_x=self._knots[0],
            curve_y=self._knots[1],
            n_threads=n_threads,
        )
        found = sparse.csr_array((probabilities, labels, indptr), shape=(X.shape[0], self.n_labels))
        if curve is not None:
            found = curve.apply(found, threshold, None if limits is None else limits.thresholds)
        return found, calls

    def top_k_row(
        self,
        indices: NDArray[np.int32],
        values: NDArray[np.float32],
        k: int,
        *,
        limits: LabelLimits | None = None,
        beam: int | None = None,
        scaling: RowScaling = AS_THEY_ARE,
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Return the k best labels of one row, padded with -1 and 0; limits are weights only."""
        if type(k) is not int or not 1 <= k <= self.n_labels:
            check_integer("k", k, minimum=1)
            check_padding(1, k, self.n_labels)
        self._check_beam(beam)
        chosen = self._own_limits if limits is None else limits
        native = [] if chosen is None else chosen.native(self.trees, self._implied)
        options = (native, k, min(beam or 0, MAX_INT32), scaling._native, *self._knots)
        # Before the call: the binding cannot tell an array from a scalar of NumPy.
        if type(indices) is not np.ndarray or type(values) is not np.ndarray:
            check_row(indices, values)
        try:
            return _core.best_labels(self._stages, indices, values, *options)
        except TypeError:
            check_row(indices, values)
            raise

    def native(self, use: str) -> Self:
        """Return the model itself, because its nodes are native."""
        return self

    def _check_width(self, X: FeatureMatrix, scaling: RowScaling = AS_THEY_ARE) -> None:
        n_columns = self.n_features - len(scaling.pairs)
        if X.shape[1] != n_columns:
            raise ValueError(
                f"X has {X.shape[1]} columns, but the model was trained with {n_columns}"
            )

    def _check_beam(self, beam: int | None) -> None:
        if beam is not None:
            check_integer("beam", beam, minimum=1)
        if beam is not None and len(self.trees) > 1:
            raise ValueError(f"beam requires one tree, but the model has {len(self.trees)}")

    def path_scores(self, X: FeatureMatrix, rows: LabelRows, n_threads: int) -> list[PathScores]:
        """Return the scores of the node classifiers of each tree for rows with known labels."""
        self._check_width(X)
        pairs = [
            native.path_scores(*csr_arrays(X), rows.indptr, rows.indices, n_threads)
            for native in self._native
        ]
        return [PathScores(nodes, scores, z.view(np.bool_)) for nodes, scores, z in pairs]

    def probabilities_of(
        self,
        X: FeatureMatrix,
        labels: LabelRows,
        *,
        scaling: RowScaling = AS_THEY_ARE,
        n_threads: int = 1,
    ) -> NDArray[np.float32]:
        """Return the probabilities of given labels of each row, in the order of labels.indices."""
        self._check_width(X, scaling)
        curve = self.calibration.curve
        found = _core.probabilities_of(
            self._stages, *csr_arrays(X), labels.indptr, labels.indices, scaling._native, n_threads
        )
        return found if curve is None else curve(found)

    def classifier(
        self, tree: int, node: int, features: NDArray[np.int32]
    ) -> NodeClassifier | None:
        """Return the classifier of a node for these features, or None for a root without one."""
        if node == 0 and not self.has_root:
            return None
        weights = self._native[tree].of_node(node, features)
        slope, intercept = self.links(tree)
        bias = float(self.layouts[tree].bias[node])
        return NodeClassifier(weights, bias, float(slope[node]), float(intercept[node]))

    def ranker(self, label: int, features: NDArray[np.int32]) -> NodeClassifier | None:
        """Return the ranker of a label for these features, or None if there are none."""
        if self.rankers is None or self._rankers is None:
            return None
        leaf = self.trees[0].leaf(label)
        bias = float(self.rankers.layout.bias[leaf])
        return NodeClassifier(self._rankers.of_node(leaf, features), bias, *self.rankers.link)

    def child_estimates(self, tree: int, node: int, row: FeatureMatrix) -> NDArray[np.float64]:
        """Return P(z_c = 1 | z_v = 1, x) for each child c of node v; of the root if v is -1."""
        if node < 0 and not self.has_root:
            return np.ones(1)
        estimates = self._native[tree].child_probabilities(node, row.indices, row.data)
        return estimates.astype(np.float64)

    def covered(self, X: FeatureMatrix) -> NDArray[np.float32]:
        """Return products along paths to all labels, normalized for Theorem 6; for a few rows."""
        calibration = replace(self.calibration, curve=None)
        if calibration.siblings != ONE:
            calibration = replace(calibration, siblings=AT_LEAST_ONE)
        plain = self._changed(calibration=calibration, rankers=None, implications=None)
        return plain.search(X)[0].toarray()

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), tuple(getattr(self, name) for name in _PARTS)

    # The model file -----------------------------------------------------------------------------

    def to_arrays(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """Return trees and their weights: a part that JSON can represent, and arrays by name."""
        meta = {"n_trees": len(self.trees), **{name: getattr(self, name) for name in MODEL_META}}
        arrays: dict[str, NDArray[Any]] = {}
        for t, (tree, layout) in enumerate(zip(self.trees, self.layouts, strict=True)):
            arrays |= {f"tree{t}.parent": tree.parent, f"tree{t}.label": tree.label}
            arrays |= {f"tree{t}.{name}": array for name, array in layout._asdict().items()}
        return meta, arrays

    @classmethod
    def from_arrays(
        cls,
        meta: Mapping[str, Any],
        arrays: Mapping[str, NDArray[Any]],
        *,
        calibration: StoredPart | None = None,
        rankers: StoredPart | None = None,
        implications: StoredPart | None = None,
        names: Callable[[], list[Any]] | None = None,
    ) -> Self:
        """Return the model that `to_arrays` was called on; the arrays are used without a copy.

        `calibration`, `rankers` and `implications` are what their own `to_arrays` returned; None
        for none. `names` returns the names of the labels of the trees, when they are first used.

        Raises
        ------
        ValueError
            If any part is missing, unknown or breaks a rule that keeps searches within the arrays.
        """
        stored.check_meta(meta, n_arrays=len(arrays))
        arrays = stored.with_weight_bytes(arrays)
        trees = [stored_tree(arrays, t) for t in range(meta["n_trees"])]
        if names is not None:
            trees = [tree.with_names(names) for tree in trees]
        if len({tree.n_labels for tree in trees}) > 1:
            raise ValueError("all trees must have the same labels")
        layouts = [stored_layout(arrays, f"tree{t}") for t in range(meta["n_trees"])]
        if len(arrays) != len(trees) * (2 + len(LAYOUT_DTYPES)):
            raise ValueError("the arrays of a model must be those of its trees, but there are more")
        made = Calibration()
        if calibration is not None:
            n_nodes = [tree.n_nodes for tree in trees]
            made = Calibration.from_arrays(*calibration, n_nodes, trees[0].n_labels)
        ranked = None if rankers is None else Rankers.from_arrays(*rankers)
        implied = None if implications is None else Implications.from_arrays(*implications)
        plain = {name: meta[name] for name in MODEL_META}
        return cls(trees, layouts, **plain, calibration=made, rankers=ranked, implications=implied)

    def check_weights(self) -> None:
        """Raise ValueError if a weight is not finite or lies outside its node or its features.

        Searches are memory-safe either way. This reads every weight, the slow part of opening.
        """
        named = {f"tree{t}": native for t, native in enumerate(self._native)}
        if self._rankers is not None:
            named["rankers"] = self._rankers
        for name, native in named.items():
            try:
                native.check_all(n_threads(None))
            except ValueError as error:
                raise ValueError(f"{name}.bytes: {error}") from None
