"""Calls of the public functions with good arguments, of which the fuzzer replaces some."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import labeltree as lt
from labeltree import (
    HSMClassifier,
    LabelTree,
    PLTClassifier,
    TextTagger,
    bounds,
    cost,
    data,
    metrics,
    online,
    trees,
)
from labeltree.planning import Budget
from tests.animals import LABELS, PAIRS
from tests.fuzz.seed_models import TAGS, TEXTS, label_sets, rows


@dataclass(frozen=True)
class Call:
    """A function or a method with good arguments by name; `options` are left out at times."""

    name: str
    function: Callable[..., Any]
    arguments: dict[str, Any]
    options: dict[str, Any] = field(default_factory=dict)


def all_calls() -> list[Call]:
    """Return all calls; methods work on a copy of a fitted estimator."""
    rng = np.random.default_rng(0)
    X, Y = rows(rng), label_sets(rng)
    return [
        *_estimators(X, Y),
        *_methods(X, Y),
        *_text_methods(),
        *_trees(X, Y),
        *_metrics(Y),
        *_costs_and_bounds(Y),
        *_data(X, Y),
    ]


_PARAMETERS: dict[str, Any] = {
    "tree": "cheapest",
    "tree_params": {"arity": 2},
    "loss": "logistic",
    "C": 1.0,
    "n_trees": 1,
    "max_samples": 0.9,
    "class_weight": "balanced",
    "pos_neg_weight": (1.0, 2.0),
    "fit_intercept": True,
    "intercept_scaling": 1.0,
    "tol": 0.1,
    "max_iter": 5,
    "weight_threshold": 0.1,
    "max_nonzeros": 3,
    "normalize": True,
    "threshold": 0.5,
    "normalize_proba": True,
    "sparse_output": "auto",
    "max_memory": "1GB",
    "warm_start": False,
    "n_jobs": 1,
    "random_state": 0,
    "feature_weighting": (0.5, 0.5),
    "interactions": 2.0,
    "C_decay": (0.5, 1.0),
    "label_weighting": 0.5,
}
_ONLINE: dict[str, Any] = {
    "optimizer": "ftrl",
    "learning_rate": 1.0,
    "smoothing": 0.01,
    "l1": 0.0,
    "l2": 0.0,
    "min_gradient": 0.0,
    "insert": "cost",
    "max_degree": 3,
    "keep_rows": 5,
    "max_weights": 100,
    "weight_threshold": 0.0,
    "warm_start_strength": 0.1,
}
_TEXT: dict[str, Any] = {
    "analyzer": "word",
    "ngram_range": (1, 2),
    "lowercase": True,
    "stop_words": "english",
    "sublinear_tf": True,
    "min_df": 1,
    "max_features": 10,
    "n_features": 32,
    "language": None,
    "unicode_form": "NFKC",
    "cjk_bigrams": True,
}


def _estimators(X: Any, Y: Any) -> list[Call]:
    classes = [(row or ["none"])[0] for row in Y]

    def fit_plt(X: Any, y: Any, sample_weight: Any = None, **parameters: Any) -> Any:
        return PLTClassifier(**parameters).fit(X, y, sample_weight).predict_proba(X)

    def fit_hsm(X: Any, y: Any, **parameters: Any) -> Any:
        return HSMClassifier(**parameters).fit(X, y).predict(X)

    def learn(X: Any, y: Any, classes: Any = None, **parameters: Any) -> Any:
        clf = PLTClassifier(n_jobs=1, online_params=parameters)
        return clf.partial_fit(X, y, classes).predict_proba(X)

    def fit_texts(texts: Any, tags: Any, **parameters: Any) -> Any:
        return TextTagger(n_jobs=1, **parameters).fit(texts, tags).tag(TEXTS)

    def learn_texts(texts: Any, tags: Any, **parameters: Any) -> Any:
        return TextTagger(n_jobs=1, **parameters).partial_fit(texts, tags).tag(TEXTS)

    weights = {"sample_weight": np.ones(X.shape[0])}
    return [
        *[Call("fit", fit_plt, {"X": X, "y": Y}, weights | _PARAMETERS)] * 3,
        Call("fit classes", fit_hsm, {"X": X, "y": classes}, _PARAMETERS),
        *[Call("partial_fit", learn, {"X": X, "y": Y}, {"classes": LABELS, **_ONLINE})] * 3,
        Call("fit texts", fit_texts, {"texts": TEXTS, "tags": TAGS}, _TEXT),
        Call("learn texts", learn_texts, {"texts": TEXTS, "tags": TAGS}, _TEXT),
        Call("OnlineParams", online.OnlineParams, {}, _ONLINE),
        Call("Budget.parse", Budget.parse, {"given": "time=1h, memory=1GB"}),
        Call("plan", lt.plan, {"X": X, "Y": Y}, _PLAN),
    ]


_PLAN = {"trees": ["cheapest"], "budget": "1h", "holdout": 0.2, "sweeps": 0, "random_state": 0}
_PLAN |= {"n_jobs": 1, "cost_model": trees.CostModel()}


def _of_copy(stored: bytes, method: str) -> Callable[..., Any]:
    def call(**arguments: Any) -> Any:
        return getattr(pickle.loads(stored), method)(**arguments)

    return call


def _methods(X: Any, Y: Any) -> list[Call]:
    fitted = PLTClassifier(n_jobs=1, tree="cheapest").fit(X, Y)
    learned = PLTClassifier(n_jobs=1).partial_fit(X, Y)
    classes = HSMClassifier(n_jobs=1).fit(X, [(row or ["none"])[0] for row in Y])
    x, few = X[:3], {"X": X[:3], "y": Y[:3]}
    row = X[[0]]
    one = {"indices": row.indices.astype(np.int32), "values": row.data}
    table: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
        ("predict", {"X": x}, {"threshold": 0.5}),
        ("predict_labels", {"X": x}, {"threshold": 0.5}),
        ("predict_proba", {"X": x}, {"k": 2, "threshold": 0.1}),
        ("top_k", {"X": x}, {"k": 2, "labels": ["cat"], "weights": np.ones(6), "beam": 3}),
        ("top_k_row", one, {"k": 2, "beam": 2}),
        ("label_proba", {"X": x, "Y": [["cat"], ["dog"], []]}, {}),
        ("prediction_cost", {"X": x}, {"k": 2, "threshold": 0.1}),
        ("prediction_cost_bound", {"X": x}, {"threshold": 0.1}),
        ("explain", {"x": row, "label": "cat"}, {"top_features": 3, "feature_names": None}),
        ("score", few, {"sample_weight": np.ones(3)}),
        ("calibrate", {"X": X, "y": Y}, {"method": "auto"}),
        ("tune_thresholds", {"X": X, "y": Y}, {"objective": "macro_f1"}),
        ("partial_fit", few, {"classes": LABELS, "sample_weight": np.ones(3)}),
        ("predict_then_fit", few, {"k": 2}),
        ("remove_labels", {"labels": ["cat"]}, {}),
        ("rebuild_tree", {}, {"X": X, "y": Y, "tree": "cheapest"}),
        ("predict_proba_one", one, {"k": 2}),
        ("set_params", {}, {"C": 1.0, "n_jobs": 1}),
    ]
    calls = []
    for clf in (fitted, learned, classes):
        stored = pickle.dumps(clf)
        calls += [Call(name, _of_copy(stored, name), *rest) for name, *rest in table]
    return calls


def _text_methods() -> list[Call]:
    vectors = np.eye(5, 3, dtype=np.float32)
    plain = pickle.dumps(TextTagger(n_jobs=1).fit(TEXTS, TAGS))
    embedded = pickle.dumps(TextTagger(n_jobs=1).fit(TEXTS, TAGS, embeddings=vectors))
    both = {"texts": TEXTS, "tags": TAGS}
    table: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
        ("tag", {"texts": TEXTS}, {"k": 2, "threshold": 0.1, "embeddings": vectors}),
        ("predict", {"texts": TEXTS}, {"threshold": 0.1, "embeddings": vectors}),
        ("top_k", {"texts": TEXTS}, {"k": 2, "beam": 2, "embeddings": vectors}),
        ("explain", {"text": "tea", "tag": "tea"}, {"top_features": 2, "embedding": vectors[0]}),
        ("partial_fit", both, {"embeddings": vectors}),
        ("predict_then_fit", both, {"k": 2, "embeddings": vectors}),
        ("evaluate", both, {"ks": (1, 2), "embeddings": vectors}),
        ("score", both, {"sample_weight": np.ones(5), "embeddings": vectors}),
        ("remove_labels", {"tags": ["tea"]}, {}),
        ("calibrate", both, {"method": "auto", "embeddings": vectors}),
    ]
    return [
        Call(f"tagger.{name}", _of_copy(stored, name), *rest)
        for stored in (plain, embedded)
        for name, *rest in table
    ]


def _trees(X: Any, Y: Any) -> list[Call]:
    rows_of = data.as_labels(Y)
    tree, counts = trees.cheapest(rows_of), rows_of.counts
    price = trees.CostModel(per_row=1.0, per_pair=0.5)
    seeded = {"random_state": 0, "n_jobs": 1}
    linkage = np.array([[0.0, 1.0, 0.5, 2.0], [2.0, 3.0, 0.7, 3.0]])
    return [
        Call("binarize", trees.binarize, {"tree": tree, "Y": Y}),
        Call("binary_merge", trees.binary_merge, {"Y": Y}, {"choose": "union"}),
        Call("blend", trees.blend, {"X": X, "Y": Y}, {"similarity": 0.5, "sweeps": 1, **seeded}),
        Call("cheapest", trees.cheapest, {"Y": Y}, {"sweeps": 1, "cost_model": price}),
        Call("collapse", trees.collapse, {"tree": tree, "Y": Y}, {"cost_model": price}),
        Call("complete", trees.complete, {"n_labels": 5}, {"arity": 2, "counts": [1] * 5}),
        Call("CostModel", trees.CostModel, {}, {"per_row": 1.0, "per_pair": 2.0}),
        Call("exact", trees.exact, {"Y": Y}),
        Call("from_hierarchy", trees.from_hierarchy, {"hierarchy": PAIRS, "Y": Y}, {"collapse": 1}),
        Call("Hierarchy", trees.Hierarchy, {"pairs": PAIRS}, {"names": [("cat", "Katze")]}),
        Call("huffman", trees.huffman, {"counts": counts}, {"arity": 3}),
        Call("kmeans", trees.kmeans, {"X": X, "Y": Y}, {"arity": 2, "max_leaf_size": 2, **seeded}),
        Call("label_vectors", trees.label_vectors, {"X": X, "Y": Y}, {"n_jobs": 1}),
        Call("merge", trees.merge, {"Y": Y}, {"cost_model": price}),
        Call("multiclass", trees.multiclass, {"counts": counts}, {"exact_up_to": 4}),
        Call("nested", trees.nested, {"counts": counts}),
        Call("random", trees.random, {"n_labels": 5}, {"arity": 2, "random_state": 0}),
        Call("shannon", trees.shannon, {"counts": counts}),
        Call("star", trees.star, {"n_labels": 5}),
        Call("sweep", trees.sweep, {"tree": tree, "Y": Y}, {"sweeps": 1, "max_share": 0.5}),
        Call("from_nested", LabelTree.from_nested, {"nested": [[0, 1], 2]}),
        Call("from_parents", LabelTree.from_parents, {"parent": [-1, 0, 0], "label": [-1, 0, 1]}),
        Call("from_linkage", LabelTree.from_linkage, {"linkage": linkage}, {"names": list("abc")}),
        Call("pairs", LabelTree.from_hierarchy, {"pairs": PAIRS}, {"labels": LABELS}),
        Call("from_json", LabelTree.from_json, {"text": tree.to_json()}),
        Call("from_newick", LabelTree.from_newick, {"text": "(a,b);"}),
        Call("from_dot", LabelTree.from_dot, {"text": "digraph {a -> b; a -> c}"}),
        Call("with_names", tree.with_names, {"names": LABELS}),
        Call("leaf", tree.leaf, {"label": 1}),
        Call("children", tree.children, {"node": 0}),
        Call("label_rows", tree.label_rows, {"Y": Y}),
        Call("report", cost.report, {"tree": tree, "Y": Y}, {"holdout": Y, "threshold": 0.1}),
    ]


def _metrics(Y: Any) -> list[Call]:
    ranked = np.tile(np.array([2, 1, -1]), (12, 1))
    chances = np.tile(np.array([0.9, 0.2, 0.0]), (12, 1))
    true = data.as_labels(Y)
    k, p = {"k": 2}, np.full(true.n_labels, 0.5)
    both = {"Y_true": true, "ranked": ranked}
    scored = {"Y_true": true, "ranked": ranked, "propensity": p}
    named = [("precision_at_k", both), ("recall_at_k", both), ("ndcg_at_k", both)]
    named += [("coverage_at_k", both), ("psp_at_k", scored), ("psndcg_at_k", scored)]
    sets = {"Y_true": true.to_csr(), "Y_pred": true.to_csr()}
    return [
        *(Call(name, getattr(metrics, name), given | k) for name, given in named),
        Call("brier", metrics.brier_at_k, both | k, {"probabilities": chances}),
        Call("log_loss_at_k", metrics.log_loss_at_k, both | k, {"probabilities": chances}),
        Call("ece", metrics.ece_at_k, both | k, {"probabilities": chances, "n_bins": 3}),
        Call("evaluate", metrics.evaluate, both, {"ks": (1, 2), "probabilities": chances}),
        Call(
            "log_loss", metrics.log_loss, {"Y_true": true, "probabilities": np.full((12, 6), 0.5)}
        ),
        Call("macro_f1", metrics.macro_f1, sets),
        Call("micro_f1", metrics.micro_f1, sets),
        Call("propensities", metrics.propensities, {"Y_train": Y}, {"a": 0.5, "b": 1.5}),
        Call("top_labels", metrics.top_labels, {"scores": np.eye(4), "k": 2}),
        Call("precision_scorer", metrics.precision_scorer, {"k": 2}),
    ]


def _costs_and_bounds(Y: Any) -> list[Call]:
    rows_of = data.as_labels(Y)
    tree, counts = trees.cheapest(rows_of), rows_of.counts
    nodes, n_rows = np.full(tree.n_nodes, 0.5), rows_of.n_rows
    on_tree = {"tree": tree, "Y": Y}
    counted = {"counts": counts, "n_rows": n_rows}
    return [
        *(Call(name, getattr(cost, name), on_tree) for name in ("node_weights", "row_costs")),
        Call("training_cost", cost.training_cost, on_tree),
        Call("assign", cost.assign, {"tree": tree, "labels": [0, 1]}),
        Call("expected_cost", cost.expected_cost, on_tree | {"probabilities": np.full(12, 1 / 12)}),
        Call("lower_bound", cost.lower_bound, {"Y": Y}, {"iterations": 2}),
        Call("leaf_costs", cost.leaf_costs, {"tree": tree}),
        Call("binary_ratio", bounds.binary_ratio, {"n_labels": 5}),
        Call("ternary_ratio", bounds.ternary_ratio, {"n_labels": 5}),
        Call("concentration", bounds.concentration, {"tree": tree, "deviation": 1.0, "n_rows": 9}),
        Call("entropy", bounds.entropy, {"p": [0.5, 0.5]}),
        Call("entropy_upper", bounds.entropy_upper_bound, {"p": [0.5, 0.5]}),
        *(
            Call(name, getattr(bounds, name), counted)
            for name in ("entropy_lower_bound", "huffman_upper_bound", "nested_optimum")
        ),
        Call("k_sparse", bounds.k_sparse_upper_bound, {"optimum": 9, "n_rows": 3, "k": 2}),
        Call("merging_cost", bounds.merging_cost, on_tree),
        Call("simple_lower_bound", bounds.simple_lower_bound, {"Y": Y}),
        Call("ternary_upper_bound", bounds.ternary_upper_bound, {"Y": Y}),
        Call("is_multiclass", bounds.is_multiclass, {"Y": Y, "labels": [0, 1]}),
        Call("is_label_covering", bounds.is_label_covering, {"Y": Y, "labels": [0, 1]}),
        Call("path_products", bounds.path_products, {"tree": tree, "conditional": nodes}),
        Call("normalize", bounds.normalize_estimates, {"tree": tree, "estimates": nodes}),
        Call(
            "prediction_cost",
            bounds.prediction_cost,
            {"tree": tree, "estimates": nodes, "threshold": 0.2},
        ),
        Call("row_cost", bounds.row_cost_upper_bound, {"tree": tree, "n_true": 2}),
        Call("node_interval", bounds.node_interval, {"children": [0.1, 0.2], "total": 0.5}),
        Call("clique", bounds.reduce_clique, {"edges": [(0, 1), (1, 2)], "n_vertices": 3, "k": 2}),
        Call("form", bounds.is_multiclass_form, {"tree": tree, "counts": counts}),
    ]


def _data(X: Any, Y: Any) -> list[Call]:
    return [
        Call("as_features", data.as_features, {"X": X}, {"n_features": 24}),
        Call("as_labels", data.as_labels, {"Y": Y}, {"n_labels": 6, "names": LABELS}),
        Call("select", data.as_labels(Y).select, {"rows": [0, 1]}),
        Call("row", data.as_labels(Y).row, {"i": 0}),
        Call("name", data.as_labels(Y).name, {"j": 0}),
        Call("fold_columns", online.fold_columns, {"X": X, "n_features": 7}),
    ]
