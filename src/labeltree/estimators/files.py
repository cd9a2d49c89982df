"""A fitted classifier as a header and arrays, and back."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from importlib.metadata import version
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from labeltree import storage
from labeltree.data.arrays import take
from labeltree.data.row_scaling import RowScaling, plain_scaling
from labeltree.estimators import validation
from labeltree.estimators.fitted import FittedAttributes
from labeltree.estimators.state import FitCounts, FittedState, as_names
from labeltree.model.model import Model
from labeltree.online.stored import StoredLearner, store_learner
from labeltree.storage.names import StoredNames, store_names
from labeltree.storage.parameters import restore_parameters, store_parameters

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
_TRAINING = FitCounts._fields
_LABEL_KINDS = ("indicator", "sets", "classes")


class FilesMixin(FittedAttributes):
    """`save`, `quantize` and how a model file holds an estimator."""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the fitted estimator to one file, all or nothing; `labeltree.load` opens it.

        An existing file is replaced once the new one is on the disk. Labels must be all text or all
        numbers, parameters plain values, and nodes native; anything else can only be pickled.
        Parameters that describe a run are not saved: `n_jobs`, `verbose`, `max_memory` and
        `checkpoint_dir`. The same fit writes the same bytes.
        """
        storage.save(self, path)

    def quantize(self) -> Self:
        """Round weights to 8 bits, with 255 steps per node, and return the estimator.

        Files and memory become about half as large and predictions a little faster; probabilities
        change slightly (docs/queries.md has figures). Fit again to get full weights back.

        Examples
        --------
        >>> from labeltree import PLTClassifier
        >>> X = [[i * j % 7 for j in range(99)] for i in range(30)]
        >>> clf = PLTClassifier(weight_threshold=0.0).fit(X, [i % 3 for i in range(30)])
        >>> before = clf.model_.n_bytes
        >>> clf.quantize().model_.n_bytes < before
        True
        """
        state = self._fitted
        model = state.model.native("quantize").quantized()
        self._state = replace(state, laid_out=model, class_names=state.model_classes)
        return self

    def _contents(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        return classifier_contents(self, self._fitted)

    @classmethod
    def _from_contents(
        cls, header: dict[str, Any], arrays: Mapping[str, NDArray[Any]], *, every_weight: bool
    ) -> Self:
        return cls._of_state(*restore_classifier(cls, header, arrays, every_weight=every_weight))

    @classmethod
    def _of_state(cls, parameters: dict[str, Any], state: FittedState) -> Self:
        estimator = cls(**parameters)
        estimator._state = state
        return estimator


def classifier_contents(
    estimator: Any, state: FittedState
) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Return what a file holds of a fitted classifier: a header, and arrays by name."""
    model = state.model.native("a model file")
    parameters = estimator.get_params(deep=False)
    _check_prediction(parameters)
    names = model.trees[0].names
    if names is not None and list(names) != state.model_classes.tolist():
        raise ValueError("the names of the trees must be those of the labels; fit again")
    meta, arrays = model.to_arrays()
    label_names, label_arrays = store_names("labels", state.model_classes)
    feature_names: str | None = None
    feature_arrays: dict[str, NDArray[Any]] = {}
    if state.feature_names is not None:
        feature_names, feature_arrays = store_names("features", as_names(state.feature_names))
    header = {
        "estimator": type(estimator).__name__,
        "parameters": store_parameters(parameters, model.trees),
        "label_kind": state.label_kind,
        "label_names": label_names,
        "trees_have_names": names is not None,
        "feature_names": feature_names,
        "training": {name: int(number) for name, number in state.counts._asdict().items()},
        "model": meta,
        "written_by": {"labeltree": version("labeltree")},
    }
    if not state.row_scaling.is_plain:
        header[_SCALING] = {"power": state.row_scaling.power}
        arrays[SCALING_WEIGHTS] = state.row_scaling.weights
    if state.learner is not None:
        header[_ONLINE], learned = store_learner(state.online, state.label_kind)
        arrays |= learned
    return header, {**label_arrays, **feature_arrays, **arrays}


def restore_classifier(
    kind: type[Any],
    header: dict[str, Any],
    arrays: Mapping[str, NDArray[Any]],
    *,
    every_weight: bool,
) -> tuple[dict[str, Any], FittedState]:
    """Return the parameters and the state of a classifier; ValueError if a rule is broken."""
    _check_header(header)

    def tree_names() -> list[Any]:
        return list(classes.names.tolist())

    names = tree_names if header["trees_have_names"] else None
    model = Model.from_arrays(header["model"], arrays, names)
    classes = StoredNames.take("labels", header["label_names"], arrays, model.n_labels)
    if every_weight:
        model.check_weights()
    stored, feature_names = header["feature_names"], None
    if stored is not None:
        feature_names = StoredNames.take("features", stored, arrays, model.n_features)
    known = kind().get_params(deep=False)
    parameters = known | restore_parameters(header["parameters"], list(known), model.trees)
    _check_prediction(parameters)
    learner = StoredLearner.take(header[_ONLINE], arrays, classes) if _ONLINE in header else None
    return parameters, FittedState(
        label_kind=header["label_kind"],
        row_scaling=_scaling(header, arrays, model.n_features, parameters["normalize"]),
        n_features=model.n_features,
        counts=FitCounts(**header["training"]),
        class_names=classes,
        feature_names=feature_names,
        laid_out=model,
        learner=learner,
    )


def _scaling(
    header: dict[str, Any], arrays: Mapping[str, NDArray[Any]], n_features: int, normalize: bool
) -> RowScaling:
    if _SCALING not in header:
        return plain_scaling(normalize=normalize)
    stored = header[_SCALING]
    power = stored.get("power") if isinstance(stored, dict) and len(stored) == 1 else None
    is_number = isinstance(power, int | float) and not isinstance(power, bool)
    if power is None or not is_number or not 0 <= power <= 2:
        raise ValueError(f"scaling must be a power from 0 to 2, but is {stored!r:.40}")
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


def _check_prediction(parameters: dict[str, Any]) -> None:
    """Refuse parameters with which nothing could be predicted; fit checks the others itself."""
    threshold = parameters["threshold"]
    if isinstance(threshold, bool) or not isinstance(threshold, int | float | np.number):
        raise ValueError(f"threshold must be a number, but is {threshold!r:.40}")
    validation.check_share("threshold", float(threshold))
    for name in ("normalize", "normalize_proba"):
        if not isinstance(parameters[name], bool | np.bool_):
            raise ValueError(f"{name} must be True or False, but is {parameters[name]!r:.40}")
