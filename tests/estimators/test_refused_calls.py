"""A call that is refused or fails changes nothing, for every public method of every estimator."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import NotFittedError
from sklearn.naive_bayes import BernoulliNB

from labeltree import HSMClassifier, PLTClassifier, TextTagger

X = [[1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
Y = [["tea", "milk"], ["tea"], ["bread"], ["jam"]]
CLASSES = ["tea", "tea", "bread", "jam"]
TEXTS = ["green tea", "black tea", "rye bread", "jam"]
ROW = (np.array([0], np.int32), np.array([1.0], np.float32))
NAN = [[np.nan, 0.0, 0.0]] * 4

MAKERS: dict[str, Callable[[], Any]] = {
    "fitted": lambda: PLTClassifier(n_jobs=1).fit(X, Y),
    "learning": lambda: PLTClassifier(n_jobs=1).partial_fit(X, Y),
    "fitted, then learning": lambda: PLTClassifier(n_jobs=1).fit(X, Y).partial_fit(X, Y),
    "warm": lambda: PLTClassifier(n_jobs=1, warm_start=True).fit(X, Y),
    "of estimators": lambda: PLTClassifier(node_estimator=BernoulliNB()).fit(X, Y),
    "classes": lambda: HSMClassifier(n_jobs=1).fit(X, CLASSES),
    "learning classes": lambda: HSMClassifier(n_jobs=1).partial_fit(X, CLASSES),
    "tagger": lambda: TextTagger(n_jobs=1).fit(TEXTS, Y),
    "learning tagger": lambda: TextTagger(n_jobs=1, n_features=64).partial_fit(TEXTS, Y),
}

# Positional arguments that are refused by every classifier, one list after the other.
ROWS: dict[str, list[tuple[Any, ...]]] = {
    "fit": [(NAN, Y), (X, Y[:2]), (X, None), ([], []), (X, Y, [-1.0] * 4), (X, Y, [0.0] * 4)],
    "partial_fit": [
        (NAN, Y),
        (X, Y[:2]),
        (X, None),
        ([[1.0]], [["tea"]]),
        (X, np.ones((4, 3), np.uint8)),
        (X, Y, ["z"], [-1.0] * 4),
        (X, Y, ["z"], [1.0]),
        (NAN, Y, ["z"]),
    ],
    "predict_then_fit": [(NAN, Y), (X, Y[:2]), (X, Y, 0), ([[1.0]], [["tea"]])],
    "remove_labels": [(["nobody"],), (["tea", "nobody"],)],
    "rebuild_tree": [([[1.0]], [["tea"]]), (X, [["new"]] * 4), (NAN, Y)],
    "calibrate": [(NAN, Y), (X, Y, "magic"), (X, [[]] * 4), (X, [["nobody"]] * 4), ()],
    "tune_thresholds": [(NAN, Y), (X, Y, "speed"), (X, [[]] * 4), ()],
    "predict": [(NAN,), ([[1.0]],), (X, 2.0)],
    "predict_labels": [(NAN,), (X, -1.0)],
    "predict_proba": [(NAN,), (X, 0), (X, 1, 7.0)],
    "top_k": [(NAN,), (X, 0), (sparse.csr_array(np.ones((1, 9), np.float32)),)],
    "top_k_row": [(ROW[0], ROW[1], 0), (np.array([99], np.int32), ROW[1])],
    "label_proba": [(X, Y[:2]), (X, [["nobody"]] * 4)],
    "prediction_cost": [(NAN,), (X, 0)],
    "prediction_cost_bound": [(NAN,), (X, 0.0)],
    "predict_proba_one": [(np.array([99], np.int32), ROW[1])],
    "explain": [(X,), (X[0], "nobody"), (X[0], None, -1)],
    "score": [(NAN, Y), (X, Y[:2])],
    "save": [("/nowhere/at/all/model.lt",), ("model.lt.gz",)],
    "set_params": [],
    "quantize": [],
}
TEXT: dict[str, list[tuple[Any, ...]]] = {
    "fit": [("tea", Y), ([1, 2, 3, 4], Y), (TEXTS, Y[:2]), ([], [])],
    "partial_fit": [("tea", Y), ([1, 2, 3, 4], Y), (TEXTS, Y[:2]), (TEXTS, [1.5] * 4)],
    "predict_then_fit": [("tea", Y), (TEXTS, Y[:2]), (TEXTS, Y, 0)],
    "remove_labels": [(["nobody"],)],
    "rebuild_tree": [],
    "calibrate": [(TEXTS, Y[:2]), (TEXTS, Y, "magic"), (TEXTS, [[]] * 4)],
    "tune_thresholds": [(TEXTS, Y[:2]), (TEXTS, Y, "speed")],
    "set_encoder": [(len,), ("name",)],
    "tag": [("tea",), (TEXTS, 0), (TEXTS, 1, 7.0)],
    "predict": [("tea",), (TEXTS, 7.0)],
    "predict_proba": [("tea",), (TEXTS, 0), (TEXTS, None, 7.0)],
    "top_k": [("tea",), (TEXTS, 0)],
    "score": [("tea", Y), (TEXTS, Y[:2])],
    "explain": [("tea", "nobody"), ("tea", None, -1)],
    "evaluate": [(TEXTS, Y[:2])],
    "save": [("/nowhere/at/all/model.lt",), ("model.lt.gz",)],
    "set_params": [],
    "quantize": [],
}
# Methods of scikit-learn's base classes, which read only, and what makes new objects.
INHERITED = {
    "get_params",
    "get_metadata_routing",
    "set_fit_request",
    "set_partial_fit_request",
    "set_predict_proba_request",
    "set_predict_request",
    "set_score_request",
    "set_output",
    "from_parts",
}


def cases() -> list[Any]:
    found = []
    for maker in MAKERS:
        table = TEXT if "tagger" in maker else ROWS
        for method, calls in table.items():
            for number, arguments in enumerate(calls):
                name = f"{maker}-{method}-{number}"
                found.append(pytest.param(maker, method, arguments, id=name))
    return found


def fingerprint(estimator: Any) -> list[Any]:
    """Return all that a reader could see of an estimator."""
    classifier = getattr(estimator, "classifier_", estimator)
    state = classifier._fitted
    seen = [repr(estimator.get_params()), sorted(vars(estimator)), state.classes.tolist()]
    seen += [id(estimator._state), id(state), state.counts, state.model_classes.tolist()]
    queries = TEXTS if isinstance(estimator, TextTagger) else X
    seen.append(repr(estimator.predict(queries)))
    rows = np.eye(state.n_features, dtype=np.float32)[:3]
    seen += [answer.tolist() for answer in classifier.top_k(rows, 3)]
    if state.learner is not None:
        meta, arrays = state.online.to_arrays()
        seen += [meta, state.online.names, {name: a.tolist() for name, a in arrays.items()}]
    return seen


@pytest.mark.parametrize(("maker", "method", "arguments"), cases())
def test_a_refused_call_changes_nothing(
    maker: str, method: str, arguments: tuple[Any, ...]
) -> None:
    estimator = MAKERS[maker]()
    before = fingerprint(estimator)
    with pytest.raises((ValueError, TypeError, AttributeError, OSError)):
        getattr(estimator, method)(*copy.deepcopy(arguments))
    assert fingerprint(estimator) == before


@pytest.mark.parametrize("maker", MAKERS)
def test_every_public_method_is_tried(maker: str) -> None:
    estimator = MAKERS[maker]()
    public = {
        name
        for name, member in inspect.getmembers(type(estimator))
        if not name.startswith("_") and not isinstance(member, property) and callable(member)
    }
    table = TEXT if "tagger" in maker else ROWS
    assert public - INHERITED <= table.keys()


@pytest.mark.parametrize("estimator", [PLTClassifier(), HSMClassifier(), TextTagger(n_features=8)])
def test_a_first_call_that_is_refused_leaves_a_new_estimator(estimator: Any) -> None:
    rows = [""] if isinstance(estimator, TextTagger) else [[np.nan]]
    for method in ("fit", "partial_fit", "predict_then_fit"):
        with pytest.raises((ValueError, TypeError)):
            getattr(estimator, method)(rows, [[object()], []])
        with pytest.raises(NotFittedError):
            _ = estimator.classes_
        assert estimator._state is None


def test_classes_of_a_refused_partial_fit_are_not_added() -> None:
    clf = PLTClassifier(n_jobs=1).partial_fit(X, Y)
    with pytest.raises(ValueError, match="sample_weight must be finite and at least 0"):
        clf.partial_fit(X, Y, classes=["z"], sample_weight=[-1] * 4)
    assert "z" not in clf.classes_
    assert clf.top_k(X, 5)[0].max() < len(clf.classes_)
