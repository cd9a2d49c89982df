"""Every public function with a call that works, and values that no parameter expects."""

from __future__ import annotations

import importlib
import inspect
import os
import traceback
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

import labeltree as lt
from labeltree import HSMClassifier, LabelTree, PLTClassifier, TextTagger

PACKAGE = str(Path(lt.__file__).parent)

X = np.array([[1, 0, 0.5], [0.9, 0.1, 0.4], [0, 1, 0.5], [0.1, 0.9, 0.2]], np.float32)
Y = [["tea", "milk"], ["tea"], ["bread"], ["jam"]]
NUMBERS = [[0, 1], [0], [2], [3]]
TEXTS = ["green tea", "black tea", "rye bread", "sweet jam"]
TREE = LabelTree.from_nested([[0, 1], [2, 3]])
HALF = np.full(TREE.n_nodes, 0.5)
RANKED = [[0, 1], [0, 2], [2, 1], [3, 0]]

#: Values that some parameters accept and that no other may fail on in Python's own words.
ODD: dict[str, Any] = {
    "None": None,
    "1.5": 1.5,
    "-1": -1,
    "0": 0,
    "True": True,
    "2**31": 2**31,
    "2**40": 2**40,
    "2**63": 2**63,
    "-2**63-1": -(2**63) - 1,
    "10**400": 10**400,
    "nan": float("nan"),
    "inf": float("inf"),
    "1e300": 1e300,
    "np.float64(3.0)": np.float64(3.0),
    "np.nan32": np.float32("nan"),
    "1j": 1j,
    "Decimal": Decimal("0.5"),
    "empty text": "",
    "text": "x",
    "surrogate": "\ud800",
    "NUL": "a\0b",
    "bytes": b"x",
    "[]": [],
    "[None]": [None],
    "[nan]": [float("nan")],
    "nested": [[[1]]],
    "ragged": [[1], [1, 2]],
    "list of text": ["x", "y"],
    "{}": {},
    "{1: 2}": {1: 2},
    "object": object(),
    "class": int,
    "array of objects": np.array([object()], object),
    "0-d array": np.array(1.0),
    "3-d array": np.ones((2, 2, 2)),
    "complex array": np.array([[1j]]),
    "dates": np.array(["2020-01-01"], "M8[D]"),
    "empty matrix": np.empty((0, 0)),
    "no columns": np.empty((4, 0)),
    "sparse nan": sparse.csr_array(np.full((4, 3), np.nan)),
}


@dataclass(frozen=True)
class Call:
    """A public function with arguments that it accepts."""

    name: str
    run: Callable[..., Any]
    arguments: Mapping[str, Any]
    parameters: tuple[str, ...]  # those to replace by odd values


#: Accepted values of required parameters, by name.
ACCEPTED: dict[str, Any] = {
    "X": X,
    "Y": NUMBERS,
    "Y_pred": NUMBERS,
    "Y_true": NUMBERS,
    "ranked": RANKED,
    "tree": TREE,
    "k": 2,
    "counts": [3, 2, 1, 1],
    "n_labels": 4,
    "n_rows": 8,
    "n_true": 2,
    "threshold": 0.5,
    "deviation": 1.0,
    "mass": 1.0,
    "merging_cost": 20,
    "expected_cost": 3.0,
    "optimum": 9.0,
    "children": [0.2, 0.3],
    "conditional": HALF,
    "estimated": HALF,
    "estimates": HALF,
    "values": HALF,
    "eta": HALF,
    "errors": np.zeros(TREE.n_nodes),
    "p": [0.5, 0.5],
    "label_probabilities": [0.25] * 4,
    "label_estimates": [0.25] * 4,
    "probabilities": np.full((4, 2), 0.5),
    "propensity": [0.5] * 4,
    "scores": sparse.csr_array(np.full((4, 4), 0.5)),
    "n_features": 2,
    "labels": [0],
}
#: Accepted arguments of functions that need others.
GIVEN: dict[str, dict[str, Any]] = {
    "cost.expected_cost": {"tree": TREE, "Y": NUMBERS, "probabilities": [0.25] * 4},
    "metrics.log_loss": {"Y_true": NUMBERS, "probabilities": np.full((4, 4), 0.5)},
    "metrics.propensities": {"counts": [3, 2, 1, 1], "n_rows": 8},
    "metrics.evaluate": {"Y_true": NUMBERS, "ranked": RANKED, "ks": (1, 2)},
    **{
        f"metrics.{name}_at_k": {
            "Y_true": NUMBERS,
            "ranked": RANKED,
            "k": 2,
            "probabilities": np.full((4, 2), 0.5),
        }
        for name in ("brier", "ece", "log_loss")
    },
}
# They read or write files, fetch data, take long, or only hold what others have computed.
ELSEWHERE = (
    "data.TextShards",
    "data.read",
    "data.write",
    "datasets.",
    "execution.",
    "load",
    "trees.from_",
    "plan",
    "tune",
    "bounds.CliqueInstance",
    "bounds.clique",
    "bounds.reduce",
    "cost.TreeReport",
    "data.LabelRows",
    "online.TreeCost",
    "plot.",
    "ancestor_proba",
    "Explanation",
    "ModelFileError",
    "Plan",
    "Tuning",
    "LabelTree",
    "trees.LabelTree",
    "trees.Hierarchy",
    "trees.to_napkinxc",
    "PLTClassifier",
    "HSMClassifier",
    "TextTagger",
    "Rescorer",
    "__version__",
)
# Parameters of any kind, which have checks and tests of their own.
FREE = {
    "X",
    "Y",
    "y",
    "x",
    "Y_true",
    "Y_pred",
    "ranked",
    "scores",
    "tags",
    "label",
    "tag",
    "predicted",
    "holdout",
    "ks",
    "labels",
    "choose",
    "text",
    "embedding",
    "embeddings",
    "method",
    "objective",
    "tree_params",
    "node_estimator",
    "classifier_params",
    "tokenizer",
    "preprocessor",
    "ngram_range",
    "stop_words",
    "classifier",
    "checkpoint_dir",
    "feature_names",
}


def public() -> Iterator[tuple[str, Any]]:
    """Yield the public functions and classes by name."""
    for name in lt.__all__:
        made = getattr(lt, name)
        if not inspect.ismodule(made):
            yield name, made
            continue
        module = importlib.import_module(f"labeltree.{name}")
        yield from ((f"{name}.{inner}", getattr(module, inner)) for inner in module.__all__)


def calls() -> Iterator[Call]:
    """Yield a call of every public function, of methods and of constructors with a fit."""
    for name, function in public():
        if name.startswith(ELSEWHERE):
            continue
        given = GIVEN.get(name)
        if given is None:
            needed = inspect.signature(function).parameters.values()
            given = {p.name: ACCEPTED[p.name] for p in needed if p.default is p.empty}
        yield _call(name, function, given)
    yield from _methods("PLTClassifier", lambda: PLTClassifier(n_jobs=1).partial_fit(X, Y), ROWS)
    yield from _methods("TextTagger", lambda: TextTagger(n_jobs=1).fit(TEXTS, Y), OF_TEXTS)
    fits: list[tuple[Any, Any, Any]] = [(PLTClassifier, X, Y), (HSMClassifier, X, "abab")]
    for made, rows, labels in [*fits, (TextTagger, TEXTS, Y)]:
        yield _call(f"{made.__name__}.fit", _fit(made, rows, list(labels)), {}, made)


def _call(name: str, run: Callable[..., Any], given: Mapping[str, Any], of: Any = None) -> Call:
    parameters = inspect.signature(of or run).parameters
    return Call(name, run, given, tuple(p for p in parameters if p not in FREE))


def _fit(made: Any, rows: Any, labels: Any) -> Callable[..., Any]:
    return lambda **options: made(**{"n_jobs": 1, **options}).fit(rows, labels).predict(rows)


ROWS: dict[str, dict[str, Any]] = {
    "fit": {"X": X, "y": Y},
    "partial_fit": {"X": X, "y": Y},
    "predict_then_fit": {"X": X, "y": Y},
    "predict": {"X": X},
    "predict_labels": {"X": X},
    "predict_proba": {"X": X},
    "prediction_cost": {"X": X},
    "prediction_cost_bound": {"X": X},
    "top_k": {"X": X},
    "predict_proba_one": {"indices": np.array([0], np.int32), "values": np.ones(1, np.float32)},
    "top_k_row": {"indices": np.array([0], np.int32), "values": np.ones(1, np.float32)},
    "explain": {"x": X[:1]},
    "remove_labels": {"labels": ["jam"]},
}
OF_TEXTS: dict[str, dict[str, Any]] = {
    "tag": {"texts": TEXTS},
    "predict": {"texts": TEXTS},
    "predict_proba": {"texts": TEXTS},
    "top_k": {"texts": TEXTS},
    "explain": {"text": "tea"},
}


def _methods(
    name: str, make: Callable[[], Any], table: Mapping[str, Mapping[str, Any]]
) -> Iterator[Call]:
    for method, given in table.items():

        def run(method: str = method, **arguments: Any) -> Any:
            return getattr(make(), method)(**arguments)

        yield _call(f"{name}.{method}", run, given, getattr(make(), method))


def is_plain(error: BaseException) -> bool:
    """Return whether an error is a sentence of this package, its core or scikit-learn.

    Python's own errors come from a line that does not raise.
    """
    frame = traceback.extract_tb(error.__traceback__)[-1]
    line = frame.line or ""
    if "sklearn" in frame.filename:
        return True
    own = frame.filename.startswith(PACKAGE + os.sep)
    is_native = isinstance(error, ValueError) and "_core." in line
    return own and (line.startswith("raise") or is_native)
