"""Answers to requests for tags and explanations."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from msgspec import UNSET, UnsetType
from scipy import sparse

from labeltree.estimators.label_subsets import Subset, as_subset
from labeltree.serve.highlights import highlights
from labeltree.serve.messages import (
    ExplainAnswer,
    ExplainRequest,
    Row,
    SparseRow,
    Tag,
    TagAnswer,
    TagRequest,
)
from labeltree.serve.problems import RequestError
from labeltree.serve.served import ServedModel
from labeltree.serve.settings import Settings

_COST_K = 5  # labels of the search whose cost is shown
_BOUND_NODES = 20_000
Ranked = list[tuple[Any, float]]


def tag(model: ServedModel, request: TagRequest, settings: Settings) -> TagAnswer:
    """Return the labels of texts or rows."""
    check_k(request.k, settings)
    given = [request.text, request.texts, request.features]
    if sum(one is not UNSET for one in given) != 1:
        raise RequestError(422, "give exactly one of text, texts and features")
    if isinstance(request.features, UnsetType):
        text, texts = request.text, request.texts
        checked = [text] if isinstance(text, str) else texts
        assert isinstance(checked, list)
        found = tag_texts(
            model, checked, request.k, request.threshold, settings, subset=_subset(request)
        )
    else:
        found = _tag_rows(model, request.features, request, settings)
    results = [[Tag(label, probability) for label, probability in row] for row in found]
    return TagAnswer(model.name, model.version, results)


def tag_texts(
    model: ServedModel,
    texts: list[str],
    k: int,
    threshold: float | None,
    settings: Settings,
    *,
    subset: Subset | None = None,
) -> list[Ranked]:
    """Return labels with probabilities of each text, best first."""
    if not model.is_text:
        raise RequestError(422, f"the model {model.name} takes features, but the request has texts")
    check_number(len(texts), settings)
    for text in texts:
        check_text(text, settings)
    if not texts:
        return []
    labels, left_out = (None, None) if subset is None else subset
    try:
        return model.tagger.tag(texts, k, threshold, labels=labels, exclude_labels=left_out)
    except ValueError as error:
        raise RequestError(422, str(error)) from None


def check_text(text: str, settings: Settings) -> None:
    """Refuse a text that is too long."""
    if len(text) > settings.max_characters:
        raise RequestError(
            422,
            f"a text must have at most {settings.max_characters:,} characters, but one has "
            f"{len(text):,}; split it",
        )


def check_number(n: int, settings: Settings) -> None:
    """Refuse too many texts or rows."""
    if n > settings.max_texts:
        raise RequestError(
            422,
            f"a request must have at most {settings.max_texts:,} texts or rows, but has {n:,}; "
            "send several requests",
        )


def check_k(k: int, settings: Settings) -> None:
    """Refuse too many labels."""
    if k > settings.max_k:
        raise RequestError(422, f"k must be at most {settings.max_k}, but is {k}")


def _tag_rows(
    model: ServedModel, rows: list[Row], request: TagRequest, settings: Settings
) -> list[Ranked]:
    check_number(len(rows), settings)
    if not rows:
        return []
    classifier, X = model.classifier, features(model, rows)
    checked = classifier._checked(classifier._fitted, X)
    try:
        return classifier._ranked(checked, request.k, request.threshold, subset=_subset(request))
    except ValueError as error:
        raise RequestError(422, str(error)) from None


def _subset(request: TagRequest) -> Subset | None:
    return as_subset(request.labels, request.exclude_labels)


def features(model: ServedModel, rows: list[Row]) -> Any:
    """Return rows of features as a matrix; RequestError unless they fit the model."""
    if model.is_text:
        raise RequestError(422, f"the model {model.name} takes texts, but the request has features")
    n_features = model.classifier.n_features_in_
    with np.errstate(over="ignore"):  # beyond single precision is infinite, and refused below
        parts = [_sparse_row(row, n_features) for row in rows]
    indptr = np.cumsum([0, *(len(indices) for indices, _ in parts)])
    indices = np.concatenate([indices for indices, _ in parts])
    values = np.concatenate([values for _, values in parts])
    if not np.isfinite(values).all():
        raise RequestError(422, "values of features must be finite numbers of single precision")
    return sparse.csr_array((values, indices, indptr), shape=(len(rows), n_features))


def _sparse_row(row: Row, n_features: int) -> tuple[Any, Any]:
    if not isinstance(row, SparseRow):
        if len(row) != n_features:
            raise RequestError(
                422, f"a dense row must have {n_features:,} numbers, but has {len(row):,}"
            )
        return np.arange(n_features), np.asarray(row, np.float32)
    if len(row.indices) != len(row.values):
        raise RequestError(
            422,
            f"a row must have as many values as indices, but has {len(row.values):,} and "
            f"{len(row.indices):,}",
        )
    indices = np.asarray(row.indices, np.float64)
    if len(indices) and indices.max() >= n_features:
        raise RequestError(
            422, f"indices must be below {n_features:,}, but one is {max(row.indices)}"
        )
    return indices.astype(np.int64), np.asarray(row.values, np.float32)


def explain(model: ServedModel, request: ExplainRequest, settings: Settings) -> ExplainAnswer:
    """Return why a label has its probability."""
    if isinstance(request.text, str) == (request.features is not UNSET):
        raise RequestError(422, "give exactly one of text and features")
    if isinstance(request.text, str) and not model.is_text:
        raise RequestError(
            422, f"the model {model.name} takes features, but the request has a text"
        )
    try:
        if isinstance(request.text, str):
            check_text(request.text, settings)
            X = model.tagger.features_.transform([request.text])
            names = model.tagger.features_.names_for(request.text)
        else:
            assert not isinstance(request.features, UnsetType)
            X, names = features(model, [request.features]), None
        # With all features, which the words of the text need.
        why = model.classifier.explain(X, request.label, X.nnz, feature_names=names)
    except ValueError as error:
        raise RequestError(422, str(error)) from None
    marked = []
    if isinstance(request.text, str):
        marked = highlights(model.tagger.features_, request.text, why)
    shown = why.shortened(request.top_features).to_dict()
    return ExplainAnswer(model.name, model.version, shown, marked, cost(model, X))


def cost(model: ServedModel, X: Any) -> dict[str, float]:
    """Return what a search for labels costs: classifiers evaluated, of how many, and the time.

    The bound is that of Theorem 6 for the probability of the last label. It evaluates every node,
    so large models and models of several trees go without.
    """
    classifier = model.classifier
    k = min(_COST_K, len(classifier.classes_))
    start = time.perf_counter()
    found = classifier.top_k(X, k)[1][0]
    seconds = time.perf_counter() - start
    n_nodes = sum(tree.n_nodes for tree in classifier.trees_)
    figures = {
        "n_evaluated": int(classifier.prediction_cost(X, k=k)[0]),
        "n_classifiers": n_nodes,
        "microseconds": seconds * 1e6,
    }
    least = float(found[found > 0].min()) if (found > 0).any() else 0.0
    if least and len(classifier.trees_) == 1 and n_nodes <= _BOUND_NODES:
        # No search evaluates a classifier twice.
        figures["bound"] = min(int(classifier.prediction_cost_bound(X, least)[0]), n_nodes)
    return figures
