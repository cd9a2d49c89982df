"""Parameters of an estimator as JSON: plain values, cost models and trees of the model itself."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any

import numpy as np

from labeltree.trees import CostModel, LabelTree

#: Parameters that describe a run, not the model: the same fit writes the same file.
RUN_ONLY = ("checkpoint_dir", "executor", "max_memory", "n_jobs", "verbose")
_GIVEN = "given trees"  # one: {"given trees": 1}; a list of three: {"given trees": [3]}
_NUMBER = "given tree"  # the third of a list of names and trees: {"given tree": 2}
_MAPPING = "mapping"  # JSON has only text for keys, so mappings are lists of pairs
_TUPLE = "tuple"
_COST_MODEL = "cost model"


def store_parameters(parameters: Mapping[str, Any], trees: Sequence[LabelTree]) -> dict[str, Any]:
    """Return parameters as JSON can represent them.

    Parameters
    ----------
    parameters
        What `get_params` returns.
    trees
        The trees of the model. A tree among the parameters must be one of them.

    Examples
    --------
    >>> store_parameters({"C": 2.0, "class_weight": {7: 3.0}}, [])
    {'C': 2.0, 'class_weight': {'mapping': [[7, 3.0]]}}
    """
    stored = {}
    for name, value in parameters.items():
        if name in RUN_ONLY:
            continue
        if name == "tree" and not _are_names(value):
            stored[name] = _store_trees(value, trees)
        else:
            stored[name] = _store(name, value)
    return stored


def _are_names(value: Any) -> bool:
    is_list = isinstance(value, list | tuple)
    return all(isinstance(name, str) for name in (value if is_list else [value]))


def _store_trees(value: Any, trees: Sequence[LabelTree]) -> Any:
    is_one = isinstance(value, LabelTree)
    given = [value] if is_one or not isinstance(value, Sequence) else list(value)
    has_names = any(isinstance(one, str) for one in given)
    fitted = [
        one if isinstance(one, str) else tree for one, tree in zip(given, trees, strict=False)
    ]
    if given != fitted or len(given) != len(trees):
        raise ValueError(
            "tree must be what the model was fitted with, but was changed since; fit again"
        )
    if has_names:
        return [one if isinstance(one, str) else {_NUMBER: t} for t, one in enumerate(given)]
    return {_GIVEN: 1 if is_one else [len(given)]}


def _store(name: str, value: Any) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not isfinite(value):
        raise ValueError(f"{name} must be finite to be saved, but is {value}; set another value")
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, tuple):
        return {_TUPLE: _store(name, list(value))}
    if isinstance(value, list):
        return [_store(name, item) for item in value]
    if isinstance(value, Mapping):
        pairs = [[_store(name, key), _store(name, item)] for key, item in value.items()]
        return {_MAPPING: pairs}
    if isinstance(value, CostModel):
        return {_COST_MODEL: _store(name, dataclasses.asdict(value))}
    raise ValueError(
        f"{name} must be a plain value to be saved, but is a {type(value).__name__}, which a "
        "model file cannot hold; set it to a plain value first, or pickle the model"
    )


def restore_parameters(stored: Any, known: Sequence[str], trees: Sequence[LabelTree]) -> Any:
    """Return the parameters of a file; those that it does not name keep their defaults.

    Examples
    --------
    >>> restore_parameters({"class_weight": {"mapping": [[7, 3.0]]}}, ["class_weight"], [])
    {'class_weight': {7: 3.0}}
    """
    if not isinstance(stored, dict):
        raise ValueError("parameters must be a JSON object")
    unknown = stored.keys() - (set(known) - set(RUN_ONLY))
    if unknown:
        raise ValueError(
            f"parameter {min(unknown)!r:.40} is unknown to this release. Upgrade labeltree"
        )
    return {name: _restore(name, value, trees) for name, value in stored.items()}


def _restore(name: str, value: Any, trees: Sequence[LabelTree]) -> Any:
    if isinstance(value, list):
        return [_restore(name, item, trees) for item in value]
    if not isinstance(value, dict):
        return value
    if len(value) != 1:
        raise ValueError(f"parameter {name} is of an unknown kind")
    [(kind, content)] = value.items()
    if kind == _GIVEN and name == "tree" and content in (1, [len(trees)]):
        return list(trees) if isinstance(content, list) else trees[0]
    if kind == _NUMBER and name == "tree" and type(content) is int and 0 <= content < len(trees):
        return trees[content]
    if kind == _TUPLE and isinstance(content, list):
        return tuple(_restore(name, content, trees))
    if kind == _MAPPING and isinstance(content, list):
        return _restore_mapping(name, content, trees)
    if kind == _COST_MODEL:
        return _restore_cost_model(name, _restore(name, content, trees))
    raise ValueError(f"parameter {name} is of an unknown kind")


def _restore_mapping(name: str, pairs: list[Any], trees: Sequence[LabelTree]) -> dict[Any, Any]:
    made: dict[Any, Any] = {}
    for pair in pairs:
        if not isinstance(pair, list) or len(pair) != 2 or isinstance(pair[0], list | dict):
            raise ValueError(f"parameter {name} must be a list of pairs of a plain key and a value")
        made[pair[0]] = _restore(name, pair[1], trees)
    return made


def _restore_cost_model(name: str, fields: Any) -> CostModel:
    numbers = isinstance(fields, dict) and all(
        isinstance(value, int | float) and not isinstance(value, bool) for value in fields.values()
    )
    if not numbers or fields.keys() != {field.name for field in dataclasses.fields(CostModel)}:
        raise ValueError(f"parameter {name} must be a cost model with per_row and per_pair")
    return CostModel(**fields)
