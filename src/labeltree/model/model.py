"""A forest of label trees with their node classifiers: the result of training, used for search."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from labeltree import _core
from labeltree.arguments import MAX_INT32, check_integer, check_padding, check_row
from labeltree.data import LabelRows
from labeltree.data.compressed import MAX_COLUMNS
from labeltree.data.features import FeatureMatrix
from labeltree.data.row_scaling import AS_THEY_ARE, RowScaling
from labeltree.model.calibration import Calibration
from labeltree.model.curve import Curve
from labeltree.model.interface import NodeClassifier
from labeltree.model.label_limits import LabelLimits
from labeltree.model.layout import LAYOUT_DTYPES, Layout, NodeWeights
from labeltree.model.stored import stored_layout, stored_tree
from labeltree.threads import n_threads
from labeltree.trees import LabelTree

#: Slope and intercept of the sigmoid that turns scores into probabilities, by loss. The squared
#: hinge has no probabilities of its own; these values rank best (docs/study.md).
LINKS = {"logistic": (1.0, 0.0), "squared_hinge": (4.0, 1.5)}

# Attributes of a model besides its trees and their weights.
_META = ("n_features", "link", "has_root")


class PathScores(NamedTuple):
    """The (row, node) pairs of Algorithm 1, row by row: children of positive nodes, and the root.

    The root is included only if it has a classifier of its own.
    """

    nodes: NDArray[np.int32]
    scores: NDArray[np.float32]  # scores of the node's classifier, before any link
    is_positive: NDArray[np.bool_]  # whether the row has a label under the node


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
    normalize_siblings
        Whether estimates of siblings that sum to less than 1 are divided by their sum, because at
        least one child of a positive node is positive. Theorem 6 requires it. It is not stored.
    """

    def __init__(
        self,
        trees: Sequence[LabelTree],
        layouts: Sequence[Layout],
        link: str,
        n_features: int,
        has_root: bool,
        calibration: Calibration | None = None,
        *,
        normalize_siblings: bool = False,
    ) -> None:
        self.trees, self.layouts, self.link = list(trees), list(layouts), link
        self.n_features, self.has_root = n_features, has_root
        self.calibration = calibration or Calibration()
        curve = self.calibration.curve
        self._knots = (np.empty(0), np.empty(0)) if curve is None else (curve.x, curve.y)
        self._native = [
            _core.TreeModel(
                tree._native,
                n_features,
                *layout,
                *self.links(t),
                has_root=has_root,
                normalize_siblings=normalize_siblings,
            )
            for t, (tree, layout) in enumerate(zip(trees, layouts, strict=True))
        ]

    def links(self, t: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return slope and intercept of each node of tree t."""
        slope, intercept = self.calibration.slope, self.calibration.intercept
        if slope is not None and intercept is not None:
            return slope[t], intercept[t]
        n_nodes = self.trees[t].n_nodes
        fixed = LINKS[self.link]
        return np.full(n_nodes, fixed[0], np.float32), np.full(n_nodes, fixed[1], np.float32)

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
        """Number of stored weights over all nodes and trees; counted again on each access."""
        return sum(native.count() for native in self._native)

    @property
    def n_bytes(self) -> int:
        """Size of the weights and their index in bytes."""
        return sum(layout.n_bytes for layout in self.layouts)

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
        parts = (self.trees, self.layouts, self.link, self.n_features, self.has_root)
        return type(self)(*parts, calibration)

    def quantized(self) -> Self:
        """Return the model with 8-bit weights: 255 levels per node."""
        layouts = [Layout(*native.quantized()) for native in self._native]
        parts = (self.link, self.n_features, self.has_root, self.calibration)
        return type(self)(self.trees, layouts, *parts)

    def search(
        self,
        X: FeatureMatrix,
        *,
        k: int | None = None,
        threshold: float = 0.0,
        limits: LabelLimits | None = None,
        beam: int | None = None,
        nodes_per_step: int = 1,
        scaling: RowScaling = AS_THEY_ARE,
        n_threads: int = 1,
    ) -> tuple[sparse.csr_array[np.float32, tuple[int, int]], NDArray[np.int64]]:
        """Return probabilities, best first in each row, and classifiers evaluated per row.

        The indices of the matrix are not sorted: the entries of a row are ordered by probability.

        Parameters
        ----------
        X
            Features of the rows, checked by `as_features`.
        k
            Maximum number of labels per row, the most probable; None for all.
        threshold
            Minimum probability; labels below it are not returned.
        limits
            Thresholds and weights by label.
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
        """
        check_query(k, threshold)
        self._check_beam(beam)
        curve = self.calibration.curve
        raw = limits if limits is None or curve is None else limits.before(curve)
        self._check_width(X)
        indptr, labels, probabilities, calls = _core.search(
            self._native,
            [] if raw is None else raw.native(self.trees),
            *_csr_arrays(X),
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
        beam: int | None = None,
        scaling: RowScaling = AS_THEY_ARE,
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Return the k best labels of one row, padded with -1 and 0, with minimal overhead."""
        if type(k) is not int or not 1 <= k <= self.n_labels:
            check_integer("k", k, minimum=1)
            check_padding(1, k, self.n_labels)
        self._check_beam(beam)
        options = (k, min(beam or 0, MAX_INT32), scaling._native, *self._knots)
        # Before the call: the binding cannot tell an array from a scalar of NumPy.
        if type(indices) is not np.ndarray or type(values) is not np.ndarray:
            check_row(indices, values)
        try:
            return _core.best_labels(self._native, indices, values, *options)
        except TypeError:
            check_row(indices, values)
            raise

    def native(self, use: str) -> Self:
        """Return the model itself, because its nodes are native."""
        return self

    def _check_width(self, X: FeatureMatrix) -> None:
        if X.shape[1] != self.n_features:
            raise ValueError(
                f"X has {X.shape[1]} columns, but the model was trained with {self.n_features}"
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
            native.path_scores(*_csr_arrays(X), rows.indptr, rows.indices, n_threads)
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
        self._check_width(X)
        curve = self.calibration.curve
        found = _core.probabilities_of(
            self._native,
            *_csr_arrays(X),
            labels.indptr,
            labels.indices,
            scaling._native,
            n_threads,
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

    def child_estimates(self, tree: int, node: int, row: FeatureMatrix) -> NDArray[np.float64]:
        """Return P(z_c = 1 | z_v = 1, x) for each child c of node v; of the root if v is -1."""
        if node < 0 and not self.has_root:
            return np.ones(1)
        estimates = self._native[tree].child_probabilities(node, row.indices, row.data)
        return estimates.astype(np.float64)

    def covered(self, X: FeatureMatrix) -> NDArray[np.float32]:
        """Return products along paths to all labels, normalized for Theorem 6; for a few rows."""
        parts = (self.trees, self.layouts, self.link, self.n_features, self.has_root)
        calibration = replace(self.calibration, curve=None)
        products = type(self)(*parts, calibration, normalize_siblings=True)
        return products.search(X)[0].toarray()

    def __reduce__(self) -> tuple[Any, ...]:
        parts = (self.trees, self.layouts, self.link, self.n_features, self.has_root)
        return type(self), (*parts, self.calibration)

    # The model file -----------------------------------------------------------------------------

    def to_arrays(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """Return all but the calibration: a part that JSON can represent, and arrays by name."""
        meta = {"n_trees": len(self.trees), **{name: getattr(self, name) for name in _META}}
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
        calibration: tuple[Mapping[str, Any], Mapping[str, NDArray[Any]]] | None = None,
        names: Callable[[], list[Any]] | None = None,
    ) -> Self:
        """Return the model that `to_arrays` was called on; the arrays are used without a copy.

        `calibration` is what its own `to_arrays` returned; None for none. `names` returns the names
        of the labels of the trees, when they are first used.

        Raises
        ------
        ValueError
            If any part is missing, unknown or breaks a rule that keeps searches within the arrays.
        """
        _check_meta(meta, n_arrays=len(arrays))
        trees = [stored_tree(arrays, t) for t in range(meta["n_trees"])]
        if names is not None:
            trees = [tree.with_names(names) for tree in trees]
        if len({tree.n_labels for tree in trees}) > 1:
            raise ValueError("all trees must have the same labels")
        layouts = [stored_layout(arrays, t) for t in range(meta["n_trees"])]
        if len(arrays) != len(trees) * (2 + len(LAYOUT_DTYPES)):
            raise ValueError("the arrays of a model must be those of its trees, but there are more")
        made = Calibration()
        if calibration is not None:
            n_nodes = [tree.n_nodes for tree in trees]
            made = Calibration.from_arrays(*calibration, n_nodes, trees[0].n_labels)
        return cls(trees, layouts, **{name: meta[name] for name in _META}, calibration=made)

    def check_weights(self) -> None:
        """Raise ValueError if a weight is not finite or lies outside its node or its features.

        Searches are memory-safe either way. This reads every weight, the slow part of opening.
        """
        for t, native in enumerate(self._native):
            try:
                native.check_all(n_threads(None))
            except ValueError as error:
                raise ValueError(f"tree{t}.bytes: {error}") from None


def _csr_arrays(X: FeatureMatrix) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[Any]]:
    return X.indptr.astype(np.int64, copy=False), X.indices, X.data


def _check_meta(meta: Mapping[str, Any], n_arrays: int) -> None:
    if meta.keys() != {"n_trees", *_META}:
        raise ValueError(f"a model must have n_trees, {', '.join(_META)}, and nothing else")
    for name, maximum in (("n_trees", n_arrays), ("n_features", MAX_COLUMNS)):
        number = meta[name]
        if type(number) is not int or not 1 <= number <= maximum:
            raise ValueError(f"{name} must be an integer in 1..{maximum}, but is {number!r:.40}")
    if meta["link"] not in list(LINKS):
        raise ValueError(f"link must be one of {', '.join(LINKS)}, but is {meta['link']!r:.40}")
    if not isinstance(meta["has_root"], bool):
        raise ValueError(f"has_root must be a boolean, but is {meta['has_root']!r:.40}")


def check_query(k: int | None, threshold: float) -> None:
    """Raise ValueError if k or the threshold is out of range."""
    if k is not None:
        check_integer("k", k, minimum=1)
    if not 0 <= threshold <= 1:
        raise ValueError(f"threshold must lie in 0..1, but is {threshold}")
