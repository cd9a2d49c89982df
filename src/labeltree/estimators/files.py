"""A fitted estimator as a header and arrays, and back."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from importlib.metadata import version
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labeltree.data.arrays import take
from labeltree.data.row_scaling import RowScaling, plain_scaling
from labeltree.estimators import validation
from labeltree.model.model import Model
from labeltree.online.stored import StoredLearner, store_learner
from labeltree.storage.names import StoredNames, store_names
from labeltree.storage.parameters import restore_parameters, store_parameters
from labeltree.threads import n_threads

_HEADER = {
    "estimator": str,
    "parameters": dict,
    "label_kind": str,
    "label_names": str,
    "trees_have_names": bool,
    "feature_names": str | None,
    "training": dict,
    "model": dict,
    "written_by": dict,
}
_ONLINE = "online"  # only where a model is learning row by row
SCALING_WEIGHTS = "scaling.weights"
_SCALING = "scaling"  # only where rows of length 1 do not stay as they are
# What a fit leaves behind beside the model; the attributes end in _.
_TRAINING = ("training_cost", "n_visits", "n_rows", "peak_memory")
_LABEL_KINDS = ("indicator", "sets", "classes")


def classifier_contents(estimator: Any) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Return what a file holds of a fitted classifier: a header, and arrays by name."""
    if not isinstance(estimator.model_, Model):
        raise ValueError(
            "a model with node_estimator= holds Python objects, which no model file does; pickle "
            "it, or fit without node_estimator"
        )
    parameters = estimator.get_params(deep=False)
    _check_answering(parameters)
    names = estimator.trees_[0].names
    if names is not None and list(names) != estimator.classes_.tolist():
        raise ValueError("the names of the trees must be those of the labels; fit again")
    meta, arrays = estimator.model_.to_arrays()
    label_names, label_arrays = store_names("labels", estimator.classes_)
    feature_names: str | None = None
    feature_arrays: dict[str, NDArray[Any]] = {}
    if hasattr(estimator, "feature_names_in_"):
        feature_names, feature_arrays = store_names("features", estimator.feature_names_in_)
    header = {
        "estimator": type(estimator).__name__,
        "parameters": store_parameters(parameters, estimator.trees_),
        "label_kind": estimator.label_kind_,
        "label_names": label_names,
        "trees_have_names": names is not None,
        "feature_names": feature_names,
        "training": {name: int(getattr(estimator, f"{name}_")) for name in _TRAINING},
        "model": meta,
        "written_by": _this_release(),
    }
    if not estimator.scaling_.keeps_unit_rows:
        header[_SCALING] = {"power": estimator.scaling_.power}
        arrays[SCALING_WEIGHTS] = estimator.scaling_.weights
    if "_online" in vars(estimator):
        header[_ONLINE], state = store_learner(estimator._learner(), estimator.label_kind_)
        arrays |= state
    return header, {**label_arrays, **feature_arrays, **arrays}


def restore_classifier(
    kind: type[Any],
    header: dict[str, Any],
    arrays: Mapping[str, NDArray[Any]],
    *,
    every_weight: bool,
) -> Any:
    """Return the classifier of a file; ValueError if it breaks a rule."""
    _check_header(header)
    model = Model.from_arrays(header["model"], arrays)
    if every_weight:
        model.check_weights()
    classes = StoredNames.take("labels", header["label_names"], arrays, model.n_labels)
    names = {"classes_": classes}
    if header["feature_names"] is not None:
        stored = header["feature_names"]
        names["feature_names_in_"] = StoredNames.take("features", stored, arrays, model.n_features)
    if header["trees_have_names"]:
        model.trees = [tree.with_names(lambda: classes.names.tolist()) for tree in model.trees]
    known = kind().get_params(deep=False)
    parameters = known | restore_parameters(header["parameters"], list(known), model.trees)
    _check_answering(parameters)
    classifier = kind(**parameters)
    classifier._restore(model, header["label_kind"], names, header["training"])
    classifier.scaling_ = _scaling(header, arrays, classifier)
    if _ONLINE in header:
        classifier._online = StoredLearner.take(header[_ONLINE], arrays, classes)
    return classifier


def _scaling(
    header: dict[str, Any], arrays: Mapping[str, NDArray[Any]], estimator: Any
) -> RowScaling:
    if _SCALING not in header:
        return plain_scaling(normalize=estimator.normalize)
    stored = header[_SCALING]
    power = stored.get("power") if isinstance(stored, dict) and len(stored) == 1 else None
    is_number = isinstance(power, int | float) and not isinstance(power, bool)
    if power is None or not is_number or not 0 <= power <= 2:
        raise ValueError(f"scaling must be a power from 0 to 2, but is {stored!r:.40}")
    n_features = estimator.n_features_in_
    weights = take(arrays, SCALING_WEIGHTS, "f4")
    if len(weights) not in (0, n_features):
        raise ValueError(f"scaling has {len(weights)} weights, but there are {n_features} features")
    if not (np.isfinite(weights) & (weights > 0)).all():
        raise ValueError("weights of features must be finite and above 0")
    return RowScaling(power=float(power), weights=weights)


def _check_header(header: dict[str, Any]) -> None:
    expected = {*_HEADER} | (header.keys() & {_ONLINE, _SCALING})
    if header.keys() != expected:
        odd = min(header.keys() ^ expected)
        what = "is missing" if odd in expected else "is unknown to this release; upgrade labeltree"
        raise ValueError(f"{odd!r:.40} of the header {what}")
    for name, kind in _HEADER.items():
        if not isinstance(header[name], kind):
            raise ValueError(f"{name} of the header is of the wrong kind: {header[name]!r:.40}")
    if header["label_kind"] not in _LABEL_KINDS:
        raise ValueError(f"label_kind must be one of {', '.join(_LABEL_KINDS)}")
    training = header["training"]
    if training.keys() != set(_TRAINING):
        raise ValueError(f"training must have {', '.join(_TRAINING)}")
    for name, number in training.items():
        if type(number) is not int or number < 0:
            raise ValueError(f"{name} must be an integer of at least 0, but is {number!r:.40}")
    for name, text in header["written_by"].items():
        # Printed as they are by `labeltree inspect`, so they may not steer a terminal.
        if not (isinstance(text, str) and text.isprintable() and name.isprintable()):
            raise ValueError("written_by must be a JSON object of printable text")


def _check_answering(parameters: dict[str, Any]) -> None:
    """Refuse parameters with which no answer could be given; fit checks the others itself."""
    threshold, n_jobs = parameters["threshold"], parameters["n_jobs"]
    if isinstance(threshold, bool) or not isinstance(threshold, int | float | np.number):
        raise ValueError(f"threshold must be a number, but is {threshold!r:.40}")
    validation.check_share("threshold", float(threshold))
    for name in ("normalize", "sum_to_one"):
        if not isinstance(parameters[name], bool | np.bool_):
            raise ValueError(f"{name} must be True or False, but is {parameters[name]!r:.40}")
    if n_jobs is not None:
        if isinstance(n_jobs, bool) or not isinstance(n_jobs, int | np.integer):
            raise ValueError(f"n_jobs must be an integer or None, but is {n_jobs!r:.40}")
        n_threads(int(n_jobs))


def _this_release() -> dict[str, str]:
    return {
        "labeltree": version("labeltree"),
        "python": platform.python_version(),
        "numpy": np.__version__,
    }
