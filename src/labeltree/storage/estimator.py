"""A fitted estimator as a header and arrays, and back."""

from __future__ import annotations

import os
import platform
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from labeltree import inputs
from labeltree.data.arrays import take
from labeltree.data.row_scaling import RowScaling, plain_scaling
from labeltree.model import Model
from labeltree.storage.container import Contents, read_file, write_file
from labeltree.storage.errors import ModelFileError
from labeltree.storage.names import StoredNames, store_names
from labeltree.storage.online import StoredLearner, store_learner
from labeltree.storage.parameters import restore_parameters, store_parameters
from labeltree.threads import n_threads

if TYPE_CHECKING:
    from labeltree.estimators import PLTClassifier
    from labeltree.text import TextTagger

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
_TEXT = "text"  # only in the header of a TextTagger
_ONLINE = "online"  # only where a model is learning row by row
SCALING_WEIGHTS = "scaling.weights"
_SCALING = "scaling"  # only where rows of length 1 do not stay as they are
# What a fit leaves behind beside the model; the attributes end in _.
_TRAINING = ("training_cost", "n_visits", "n_rows", "peak_memory")
_LABEL_KINDS = ("indicator", "sets", "classes")


def save(estimator: PLTClassifier | TextTagger, path: str | os.PathLike[str]) -> None:
    """Write a fitted estimator to a model file; `PLTClassifier.save` calls this."""
    check_is_fitted(estimator)
    kinds = _kinds()
    if kinds.get(type(estimator).__name__) is not type(estimator):
        raise ValueError(
            f"a model file holds one of {', '.join(kinds)}, but this is a "
            f"{type(estimator).__name__}; pickle it instead"
        )
    if isinstance(estimator, _tagger()):
        header, arrays = _contents(estimator.classifier_)
        text, words = estimator.features_.to_arrays()
        options = vars(estimator.features_.options)
        header["parameters"] |= store_parameters(options, [])
        header |= {"estimator": type(estimator).__name__, _TEXT: text}
        arrays |= words
    else:
        header, arrays = _contents(estimator)
    write_file(path, header, arrays)


def _contents(estimator: PLTClassifier) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
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


def load(path: str | os.PathLike[str], *, verify: bool = True) -> Any:
    """Return the estimator of a model file that `save` wrote; nothing in it is executed.

    The file is mapped, so processes that open the same one share its pages. It must not be changed
    in place while it is in use; `save` never does that, as it writes a new file and renames it.

    Parameters
    ----------
    path
        The model file.
    verify
        Whether to compare the checksums of all arrays, which find damage by accident. Without, a
        file opens at once whatever its size. All else is checked always, and no file can make an
        answer read outside of it or give NaN; `labeltree inspect --verify` looks at every weight.

    Returns
    -------
    PLTClassifier, HSMClassifier or TextTagger
        Answers bit for bit as the saved one did. `checkpoint` is not kept.

    Raises
    ------
    ModelFileError
        If it is no model file, is damaged, or needs a later release.
    FileNotFoundError
        If there is no file.

    Examples
    --------
    >>> import tempfile
    >>> from labeltree import PLTClassifier
    >>> clf = PLTClassifier().fit([[1, 0], [0, 1]], [["tea", "milk"], ["bread"]])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     clf.save(f"{folder}/model.lt")
    ...     load(f"{folder}/model.lt").predict_labels([[0, 1]])
    [['bread']]
    """
    return restore(path, read_file(path, verify=verify), every_weight=False)


def restore(
    path: str | os.PathLike[str], contents: Contents, *, every_weight: bool
) -> PLTClassifier | TextTagger:
    """Return the estimator of what was read from a file, whose name is for error messages.

    With `every_weight`, weights are looked at one by one: that takes longer than all the rest, and
    a query stays within its arrays and gives a probability whatever they are.
    """
    try:
        estimator = _restore(contents.header, contents.arrays, every_weight=every_weight)
    except ValueError as error:
        raise ModelFileError(f"{os.fspath(path)}: {error}") from None
    contents.release_pages()
    return estimator


def _restore(
    header: dict[str, Any], arrays: dict[str, NDArray[Any]], *, every_weight: bool
) -> PLTClassifier | TextTagger:
    _check_header(header)
    kind = _kinds()[header["estimator"]]
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
    is_tagger = kind is _tagger()
    classifier_kind = _kinds()["PLTClassifier"] if is_tagger else kind
    passed = classifier_kind().get_params(deep=False).keys()
    classifier = classifier_kind(**{name: parameters[name] for name in passed})
    classifier._restore(model, header["label_kind"], names, header["training"])
    classifier.scaling_ = _scaling(header, arrays, classifier)
    if _ONLINE in header:
        classifier._online = StoredLearner.take(header[_ONLINE], arrays, classes)
    if is_tagger:
        return _tagger()._restored(classifier, header[_TEXT], parameters, arrays)
    restored: PLTClassifier = classifier
    return restored


def _scaling(
    header: dict[str, Any], arrays: dict[str, NDArray[Any]], estimator: PLTClassifier
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
    expected = {*_HEADER, _TEXT} if header.get("estimator") == "TextTagger" else {*_HEADER}
    expected |= header.keys() & {_ONLINE, _SCALING}
    if header.keys() != expected:
        odd = min(header.keys() ^ expected)
        what = "is missing" if odd in expected else "is unknown to this release; upgrade labeltree"
        raise ValueError(f"{odd!r:.40} of the header {what}")
    for name, kind in _HEADER.items():
        if not isinstance(header[name], kind):
            raise ValueError(f"{name} of the header is of the wrong kind: {header[name]!r:.40}")
    if header["estimator"] not in _kinds():
        raise ValueError(f"the estimator {header['estimator']!r:.40} is unknown to this release")
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
    inputs.check_share("threshold", float(threshold))
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


def _kinds() -> dict[str, Any]:
    # The estimators save themselves by this module, so it cannot import them first.
    from labeltree.estimators import HSMClassifier, PLTClassifier

    kinds = (PLTClassifier, HSMClassifier, _tagger())
    return {kind.__name__: kind for kind in kinds}


def _tagger() -> type[TextTagger]:
    from labeltree.text import TextTagger

    return TextTagger
