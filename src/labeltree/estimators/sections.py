"""A fitted classifier as the sections of a model file, and back."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import version
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labeltree.data.arrays import check_count, take
from labeltree.data.feature_pairs import NO_PAIRS, FeaturePairs
from labeltree.data.row_scaling import RowScaling, plain_scaling
from labeltree.estimators import validation
from labeltree.estimators.output import check_normalize_proba, check_sparse_output
from labeltree.estimators.state import FitCounts, FittedState, as_names
from labeltree.model.model import Model
from labeltree.online.stored import ONLINE, StoredLearner, store_learner
from labeltree.storage.names import StoredNames, store_names, take_names
from labeltree.storage.parameters import restore_parameters, store_parameters
from labeltree.storage.registry import ESTIMATOR
from labeltree.storage.section import Section, take_section

LABELS, FEATURES, MODEL = "labels", "features", "model"
RANKERS, IMPLICATIONS = "rankers", "implications"
CALIBRATION, ROW_SCALING, WRITTEN_BY = "calibration", "row_scaling", "written_by"
SETTINGS = "settings"
#: Sections that the file of a classifier may have.
SECTION_NAMES = frozenset(
    {ESTIMATOR, LABELS, FEATURES, MODEL, RANKERS, CALIBRATION, ROW_SCALING, ONLINE, WRITTEN_BY}
    | {SETTINGS, IMPLICATIONS}
)
SCALING_WEIGHTS = f"{ROW_SCALING}.weights"
PAIR_BEGIN, PAIR_PARTNERS = f"{ROW_SCALING}.pair_begin", f"{ROW_SCALING}.pair_partners"
_LABEL_KINDS = ("indicator", "sets", "classes")


def classifier_sections(estimator: Any, state: FittedState) -> list[Section]:
    """Return what a file holds of a fitted classifier."""
    model = state.model.native("a model file")
    names = model.trees[0].names
    if names is not None and list(names) != state.model_classes.tolist():
        raise ValueError("the names of the trees must be those of the labels; fit again")
    label_names, label_arrays = store_names(LABELS, state.model_classes)
    labels = {"names": label_names, "trees_have_names": names is not None}
    sections = [
        _store_estimator(estimator, state, model),
        Section(WRITTEN_BY, {"labeltree": version("labeltree")}, required=False),
        Section(LABELS, labels, label_arrays),
    ]
    if state.settings:
        settings = store_parameters(state.settings, model.trees)
        sections.append(Section(SETTINGS, settings, required=False))
    if state.feature_names is not None:
        kind, arrays = store_names(FEATURES, as_names(state.feature_names))
        sections.append(Section(FEATURES, {"names": kind}, arrays, required=False))
    scaling = state.row_scaling
    if not scaling.is_plain:
        sections.append(_store_scaling(scaling))
    if not model.calibration.is_plain:
        sections.append(Section(CALIBRATION, *model.calibration.to_arrays()))
    sections.append(Section(MODEL, *model.to_arrays()))
    if model.rankers is not None:
        sections.append(Section(RANKERS, *model.rankers.to_arrays()))
    if model.implications is not None:
        sections.append(Section(IMPLICATIONS, *model.implications.to_arrays()))
    if state.learner is not None:
        sections.append(store_learner(state.online, state.label_kind))
    return sections


def _store_scaling(scaling: RowScaling) -> Section:
    content = {"power": scaling.power}
    arrays: dict[str, NDArray[Any]] = {SCALING_WEIGHTS: scaling.weights}
    if len(scaling.pairs):
        content["pair_factor"] = scaling.pairs.factor
        arrays |= {PAIR_BEGIN: scaling.pairs.begin, PAIR_PARTNERS: scaling.pairs.partners}
    return Section(ROW_SCALING, content, arrays)


def _store_estimator(estimator: Any, state: FittedState, model: Model) -> Section:
    parameters = estimator.get_params(deep=False)
    _check_prediction(parameters)
    content = {
        "kind": type(estimator).__name__,
        "parameters": store_parameters(parameters, model.trees),
        "label_kind": state.label_kind,
        "dense_labels": state.dense_labels,
        "training": {name: int(number) for name, number in state.counts._asdict().items()},
    }
    return Section(ESTIMATOR, content)


def restore_classifier(
    kind: type[Any], sections: Mapping[str, Section], *, every_weight: bool
) -> tuple[dict[str, Any], FittedState]:
    """Return the parameters and the state of a classifier; ValueError if a rule is broken."""
    estimator = _checked_estimator(sections)
    _check_written_by(sections.get(WRITTEN_BY))
    model, classes = _restore_model(sections)
    if every_weight:
        model.check_weights()
    known = vars(kind())  # parameters and nothing else; get_params would inspect the signature
    stored = estimator.content["parameters"]
    parameters = known | restore_parameters(stored, list(known), model.trees)
    _check_prediction(parameters)
    scaling = _restore_scaling(sections, model.n_features, parameters["normalize"])
    n_features = model.n_features - len(scaling.pairs)
    feature_names = None
    if FEATURES in sections:
        sections[FEATURES].check_content({"names": str})
        feature_names = take_names(sections[FEATURES], n_features)
    learner = None
    if ONLINE in sections:
        learner = StoredLearner.take(sections[ONLINE], classes, model.n_features)
    return parameters, FittedState(
        label_kind=estimator.content["label_kind"],
        dense_labels=estimator.content["dense_labels"],
        row_scaling=scaling,
        n_features=n_features,
        counts=FitCounts(**estimator.content["training"]),
        class_names=classes,
        feature_names=feature_names,
        laid_out=model,
        learner=learner,
        settings=_restore_settings(sections.get(SETTINGS)),
    )


def _restore_model(sections: Mapping[str, Section]) -> tuple[Model, StoredNames]:
    """Return the model and the names of its labels."""
    labels, stored = take_section(sections, LABELS), take_section(sections, MODEL)
    labels.check_content({"names": str, "trees_have_names": bool})
    parts = {
        name: (sections[name].content, sections[name].arrays)
        for name in (CALIBRATION, RANKERS, IMPLICATIONS)
        if name in sections
    }

    def tree_names() -> list[Any]:
        return list(classes.names.tolist())

    model = Model.from_arrays(
        stored.content,
        stored.arrays,
        **parts,
        names=tree_names if labels.content["trees_have_names"] else None,
    )
    classes = take_names(labels, model.n_labels)
    return model, classes


def _restore_scaling(
    sections: Mapping[str, Section], n_features: int, normalize: bool
) -> RowScaling:
    if ROW_SCALING not in sections:
        return plain_scaling(normalize=normalize)
    section = sections[ROW_SCALING]
    has_pairs = PAIR_BEGIN in section.arrays or PAIR_PARTNERS in section.arrays
    section.check_content({"power": float} | ({"pair_factor": float} if has_pairs else {}))
    power = section.content["power"]
    if not 0 <= power <= 2:
        raise ValueError(f"power of {ROW_SCALING} must lie in 0..2, but is {power!r:.40}")
    weights = take(section.arrays, SCALING_WEIGHTS, "f4")
    section.check_arrays([SCALING_WEIGHTS, *((PAIR_BEGIN, PAIR_PARTNERS) if has_pairs else ())])
    if len(weights) not in (0, n_features):
        raise ValueError(
            f"{ROW_SCALING} has {len(weights)} weights, but there are {n_features} features"
        )
    if not (np.isfinite(weights) & (weights > 0)).all():
        raise ValueError("weights of features must be finite and above 0")
    pairs = _restore_pairs(section, n_features) if has_pairs else NO_PAIRS
    return RowScaling(power=float(power), weights=weights, pairs=pairs)


def _restore_pairs(section: Section, n_features: int) -> FeaturePairs:
    begin, partners = (take(section.arrays, name, "i4") for name in (PAIR_BEGIN, PAIR_PARTNERS))
    if not len(partners) or len(begin) != n_features - len(partners) + 1:
        raise ValueError(
            f"{ROW_SCALING} has {len(partners)} pairs of {len(begin) - 1} features, but the model "
            f"has {n_features} features and pairs"
        )
    pairs = FeaturePairs(begin, partners, float(section.content["pair_factor"]))
    pairs.check()
    return pairs


def _checked_estimator(sections: Mapping[str, Section]) -> Section:
    section = take_section(sections, ESTIMATOR)
    kinds = {"kind": str, "parameters": dict, "label_kind": str, "dense_labels": bool}
    section.check_content(kinds | {"training": dict})
    section.check_arrays([])
    if section.content["label_kind"] not in _LABEL_KINDS:
        raise ValueError(f"label_kind must be one of {', '.join(_LABEL_KINDS)}")
    training = section.content["training"]
    if training.keys() != set(FitCounts._fields):
        raise ValueError(f"training must have {', '.join(FitCounts._fields)}, and nothing else")
    for name, number in training.items():
        check_count(name, number)
    return section


def _check_written_by(section: Section | None) -> None:
    if section is None:
        return
    section.check_content({"labeltree": str})
    section.check_arrays([])
    # `labeltree inspect` prints it, so it may not contain control characters of a terminal.
    if not section.content["labeltree"].isprintable():
        raise ValueError(f"section {section.name!r}: labeltree must be printable text")


def _restore_settings(section: Section | None) -> dict[str, Any]:
    if section is None:
        return {}
    section.check_content(
        {"tree": list, "tree_params": list, "C": float, "max_iter": int, "rerank": bool}
    )
    section.check_arrays([])
    settings = restore_parameters(section.content, list(section.content), [])
    trees, options = settings["tree"], settings["tree_params"]
    keys = [key for one in options if isinstance(one, dict) for key in one]
    # `labeltree inspect` prints them, so they may not contain control characters of a terminal.
    is_printable = all(isinstance(name, str) and name.isprintable() for name in [*trees, *keys])
    if not is_printable or [type(one) for one in options] != [dict] * len(trees):
        raise ValueError(
            f"section {section.name!r}: tree must be printable names, and tree_params must be the "
            "parameters of each"
        )
    return dict(settings)


def _check_prediction(parameters: dict[str, Any]) -> None:
    """Refuse parameters with which no prediction is possible; fit checks the others itself."""
    threshold = parameters["threshold"]
    if isinstance(threshold, bool) or not isinstance(threshold, int | float | np.number):
        raise ValueError(f"threshold must be a number, but is {threshold!r:.40}")
    validation.check_share("threshold", float(threshold))
    check_sparse_output(parameters["sparse_output"])
    check_normalize_proba(parameters["normalize_proba"])
    if not isinstance(parameters["normalize"], bool | np.bool_):
        raise ValueError(f"normalize must be True or False, but is {parameters['normalize']!r:.40}")
