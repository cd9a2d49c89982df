"""Trees and weights of a model file, checked before they are used."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from labeltree import _core
from labeltree.data.arrays import take
from labeltree.data.compressed import MAX_COLUMNS
from labeltree.model.layout import LAYOUT_DTYPES, Layout
from labeltree.model.links import LINKS
from labeltree.trees import LabelTree

#: A part of a model file: what JSON can represent, and arrays by name.
StoredPart: TypeAlias = tuple[Mapping[str, Any], Mapping[str, NDArray[Any]]]
#: Attributes of a model besides its trees and their weights.
MODEL_META = ("n_features", "link", "has_root")


def stored_tree(arrays: Mapping[str, NDArray[Any]], t: int) -> LabelTree:
    """Return tree t of a model file."""
    parent = take(arrays, f"tree{t}.parent", "i4")
    label = take(arrays, f"tree{t}.label", "i4")
    try:
        # Weights are stored by node number, so a tree that must be renumbered is refused.
        return LabelTree(_core.Tree.of_file(parent, label))
    except ValueError as error:
        raise ValueError(f"tree{t}: {error}") from None


def stored_layout(arrays: Mapping[str, NDArray[Any]], prefix: str) -> Layout:
    """Return the weights of a model file whose arrays have names with this prefix."""
    taken = (take(arrays, f"{prefix}.{name}", dtype) for name, dtype in LAYOUT_DTYPES.items())
    return Layout(*taken)


def with_weight_bytes(arrays: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """Return the arrays with the sizes of weights, which files from before 0.1.0 lack.

    Examples
    --------
    >>> arrays = {"tree0.scale": np.zeros(3, np.float32)}
    >>> with_weight_bytes(arrays)["tree0.weight_bytes"]
    array([1], dtype=uint8)
    """
    scales = {name: array for name, array in arrays.items() if name.endswith(".scale")}
    sizes = {
        f"{name.removesuffix('.scale')}.weight_bytes": np.array([1 if scale.size else 4], np.uint8)
        for name, scale in scales.items()
    }
    return {**sizes, **arrays}


def check_meta(meta: Mapping[str, Any], n_arrays: int) -> None:
    """Raise ValueError if an attribute of a model is missing, unknown or breaks a rule."""
    if meta.keys() != {"n_trees", *MODEL_META}:
        raise ValueError(f"a model must have n_trees, {', '.join(MODEL_META)}, and nothing else")
    for name, maximum in (("n_trees", n_arrays), ("n_features", MAX_COLUMNS)):
        number = meta[name]
        if type(number) is not int or not 1 <= number <= maximum:
            raise ValueError(f"{name} must be an integer in 1..{maximum}, but is {number!r:.40}")
    if meta["link"] not in list(LINKS):
        raise ValueError(f"link must be one of {', '.join(LINKS)}, but is {meta['link']!r:.40}")
    if not isinstance(meta["has_root"], bool):
        raise ValueError(f"has_root must be a boolean, but is {meta['has_root']!r:.40}")
