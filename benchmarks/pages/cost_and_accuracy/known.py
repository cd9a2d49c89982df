"""Errors, regret and prediction cost of trees where the probabilities of all nodes are known.

The rows are real; their labels are drawn again. A row takes the label set of one of its nearest
neighbors among other rows, drawn with known probabilities. So P(y | x) is known for every tree,
depends on no tree, and has the label sets of the data.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import expit

from benchmarks.pages.cost_and_accuracy.builds import BUILDS, STAR, affordable
from benchmarks.pages.cost_and_accuracy.models import fitted, with_labels
from benchmarks.pages.places import Record
from benchmarks.rows import RANKS, read_rows
from labeltree import LabelTree, bounds
from labeltree.data import LabelRows, as_features
from labeltree.model import Model

Floats = NDArray[np.float64]

MAX_ROWS, N_QUERIES = 12_000, 400
N_NEIGHBORS = 16
SHARPNESS = 10.0  # of the probabilities of neighbors, as a function of their cosine
THRESHOLDS = (0.5, 0.1)
STRENGTHS = (1.0, 10.0, 100.0)  # values of C
STRENGTH_TREES = (STAR, "cheapest", "auto")
_CHUNK = 50  # rows


class KnownRows(NamedTuple):
    """Rows with drawn labels, and queries with the probabilities of theirs."""

    X: Any
    Y: LabelRows
    queries: Any
    donors: LabelRows  # rows whose label sets are drawn
    near: Any  # probability that a query takes the labels of a donor: (queries, donors)

    @classmethod
    def read(cls, folder: Path) -> KnownRows:
        """Draw the labels of a sample of the training rows."""
        X, Y = read_rows(folder)
        rng = np.random.default_rng(0)
        labeled = rng.permutation(np.flatnonzero(np.diff(Y.indptr)))[: MAX_ROWS + N_QUERIES]
        asked, others = labeled[:N_QUERIES], labeled[N_QUERIES:]
        sources, drawn = others[: len(others) // 2], others[len(others) // 2 :]
        donors = with_labels(Y.select(sources), Y.select(sources).counts > 0)
        rows = donors.select(draw(neighbors(X[drawn], X[sources]), rng))
        near = neighbors(X[asked], X[sources])
        return cls(as_features(X[drawn]), rows, as_features(X[asked]), donors, near)

    def facts(self) -> Record:
        """Return the sizes."""
        return {
            "n_rows": self.Y.n_rows,
            "n_queries": self.queries.shape[0],
            "n_labels": self.Y.n_labels,
        }


def measure_known(folder: Path) -> Record:
    """Train all trees on drawn labels, and compare their estimates with the probabilities."""
    rows = KnownRows.read(folder)
    names = affordable(rows.X, rows.Y)
    trees = [{"tree": name, **compare(BUILDS[name](rows.X, rows.Y), rows)} for name in names]
    return {**rows.facts(), "trees": trees}


def measure_strengths(folder: Path) -> Record:
    """Compare some trees with several values of C."""
    rows = KnownRows.read(folder)
    found = []
    for name in STRENGTH_TREES:
        tree = BUILDS[name](rows.X, rows.Y)
        errors = {str(C): compare(tree, rows, C)["label_error"] for C in STRENGTHS}
        found.append({"tree": name, "label_error": errors})
    return {**rows.facts(), "trees": found}


def neighbors(X: Any, among: Any) -> Any:
    """Return the probability that each row takes the labels of another: (rows, others), CSR."""
    parts = []
    for start in range(0, X.shape[0], 500):
        cosine = np.asarray((X[start : start + 500] @ among.T).todense())
        best = np.argpartition(-cosine, N_NEIGHBORS, axis=1)[:, :N_NEIGHBORS]
        cosine = np.take_along_axis(cosine, best, axis=1)
        weight = np.exp(SHARPNESS * (cosine - cosine.max(axis=1, keepdims=True)))
        weight = weight.astype(np.float64) / weight.sum(axis=1, keepdims=True, dtype=np.float64)
        indptr = np.arange(len(best) + 1) * N_NEIGHBORS
        shape = (len(best), among.shape[0])
        parts.append(sparse.csr_array((weight.ravel(), best.ravel(), indptr), shape=shape))
    return sparse.vstack(parts, format="csr")


def draw(near: Any, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return a neighbor of each row, drawn by its probability."""
    weight = near.data.reshape(-1, N_NEIGHBORS).cumsum(axis=1)
    chosen = (rng.random((len(weight), 1)) > weight / weight[:, -1:]).sum(axis=1)
    return np.asarray(near.indices.reshape(-1, N_NEIGHBORS)[np.arange(len(weight)), chosen])


def positives(tree: LabelTree, Y: LabelRows) -> Any:
    """Return whether each node of the tree is positive in each row: (rows, nodes), CSR."""
    label, node = np.arange(tree.n_labels), np.asarray(tree.leaves)
    labels, nodes = [], []
    while len(node):
        labels.append(label)
        nodes.append(node)
        label, node = label[tree.parent[node] >= 0], tree.parent[node[tree.parent[node] >= 0]]
    at = np.concatenate(labels), np.concatenate(nodes)
    paths = sparse.csr_array((np.ones(len(at[0])), at), shape=(tree.n_labels, tree.n_nodes))
    ones = np.ones(len(Y.indices))
    found = sparse.csr_array((ones, Y.indices, Y.indptr), shape=(Y.n_rows, Y.n_labels)) @ paths
    found.data[:] = 1.0
    return found


def node_estimates(model: Model, X: Any, weights: Any, bias: Any) -> Floats:
    """Return the estimate of each node's classifier: (rows, nodes)."""
    slope, intercept = model.links(0)
    scores = np.asarray((X @ weights.T).todense()) + bias
    estimates = expit((slope * scores + intercept).astype(np.float64))
    if not model.has_root:
        estimates[:, 0] = 1.0
    return np.asarray(estimates)


def ratios(tree: LabelTree, eta: Floats, otherwise: Floats) -> Floats:
    """Return η(x, v) = η_v / η_pa(v), or another value where the parent has probability 0."""
    above = eta[:, np.maximum(tree.parent, 0)].copy()
    above[:, 0] = 1.0
    return np.minimum(np.divide(eta, above, out=otherwise.copy(), where=above > 0), 1.0)


def compare(tree: LabelTree, rows: KnownRows, C: float = 10.0) -> dict[str, Any]:
    """Train a tree, and return means over the queries."""
    _, _, queries, donors, near = rows
    model = cast(Model, fitted(tree, rows.X, rows.Y, loss="logistic", C=C).model_)
    own = model.weights()
    shape = (tree.n_nodes, model.n_features)
    weights = sparse.csr_array((own.values, own.features, own.indptr), shape=shape)
    positive = positives(tree, donors)
    sums: list[Floats] = []
    names: list[str] = []
    for start in range(0, queries.shape[0], _CHUNK):
        eta = np.asarray((near[start : start + _CHUNK] @ positive).todense())
        raw = node_estimates(model, queries[start : start + _CHUNK], weights, own.bias)
        found = of_rows(tree, np.minimum(eta, 1.0), raw)
        names = list(found)
        sums.append(np.array([values.sum() for values in found.values()]))
    means = dict(zip(names, np.sum(sums, axis=0) / queries.shape[0], strict=True))
    means |= expected_bounds(tree, means)
    return {name: float(f"{value:.5g}") for name, value in means.items()}


def of_rows(tree: LabelTree, eta: Floats, raw: Floats) -> dict[str, Floats]:
    """Return figures of each row, from true probabilities and estimates of all nodes."""
    guess = bounds.normalized_products(tree, raw)
    estimated = ratios(tree, guess, raw)
    errors = bounds.weighted_errors(tree, ratios(tree, eta, estimated), estimated)
    leaves = tree.leaves
    path_bound = bounds.estimation_regret(tree, ratios(tree, eta, estimated), estimated)[:, leaves]
    true, label_guess = eta[:, leaves], guess[:, leaves]
    label_error = np.abs(true - label_guess)
    return {
        "training_cost": bounds.cost_of_probabilities(tree, eta),
        "node_error": errors.sum(axis=1),
        "leaf_error": errors[:, leaves].sum(axis=1),
        "label_error": label_error.sum(axis=1),
        "label_error_bound": path_bound.sum(axis=1),
        "largest_error": label_error.max(axis=1),
        "largest_error_bound": path_bound.max(axis=1),
        "mass": true.sum(axis=1),
        "n_under_error": errors @ n_under(tree),
        **regrets(true, label_guess),
        **threshold_costs(tree, guess, label_guess, true.sum(axis=1) + path_bound.sum(axis=1)),
    }


def n_under(tree: LabelTree) -> Floats:
    """Return the number of nodes under each node."""
    total = tree.degree.astype(np.float64)
    for v in range(tree.n_nodes - 1, 0, -1):
        total[tree.parent[v]] += total[v]
    return total


def regrets(true: Floats, guess: Floats) -> dict[str, Floats]:
    """Return by how much the expected precision of the best estimates is below the optimum."""
    order = np.argsort(-guess, axis=1, kind="stable")[:, : max(RANKS)]
    got = np.take_along_axis(true, order, axis=1)
    best = -np.sort(-true, axis=1)[:, : max(RANKS)]
    return {
        **{f"regret@{k}": (best[:, :k] - got[:, :k]).sum(axis=1) / k for k in RANKS},
        **{f"optimum@{k}": best[:, :k].sum(axis=1) / k for k in RANKS},
    }


def threshold_costs(
    tree: LabelTree, guess: Floats, label_guess: Floats, mass_bound: Floats
) -> dict[str, Floats]:
    """Return the cost of threshold queries, and the bounds of Theorem 6."""
    found: dict[str, Floats] = {}
    for tau in THRESHOLDS:
        calls = bounds.prediction_cost(tree, guess, tau)
        limit = bounds.threshold_cost_bound(tree, label_guess, tau)
        if (calls > limit).any():
            raise AssertionError("Theorem 6 does not hold")
        found[f"calls@{tau}"] = calls.astype(np.float64)
        found[f"theorem_6@{tau}"] = limit.astype(np.float64)
        n_found = np.floor(mass_bound / tau * (1 + 1e-9))
        found[f"theorem_6_by_errors@{tau}"] = 1 + n_found * tree.depth * tree.max_degree
    return found


def expected_bounds(tree: LabelTree, means: dict[str, Any]) -> dict[str, float]:
    """Return the bounds of Theorem 7, corrected, from means over the rows."""
    found = {"n_nodes": float(tree.n_nodes)}
    for tau in THRESHOLDS:
        exact = bounds.exact_prediction_cost_bound(means["training_cost"], tau)
        found[f"theorem_7@{tau}"] = exact + means["n_under_error"] / tau
        found[f"theorem_7_exact@{tau}"] = exact
    return found
