"""The online state of a model file, which is read when training continues."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from labeltree.arguments import MAX_NUMBER
from labeltree.data.arrays import check_count, take
from labeltree.data.labels import Kind
from labeltree.model.calibration import INDEPENDENT, checked_siblings
from labeltree.online.params import OnlineParams
from labeltree.storage.names import StoredNames
from labeltree.storage.section import Section

if TYPE_CHECKING:
    from labeltree.online.learner import OnlineLearner

#: The section that holds the state.
ONLINE = "online"
_PREFIX = f"{ONLINE}."
_RECENT = ("indptr", "indices", "values", "label_indptr", "labels")
_ARRAYS = (
    *(
        "parent",
        "label",
        "n_rows",
        "row_begin",
        "example_begin",
        "loose_begin",
        "features",
        "forms",
    ),
    *("numbers", "examples", "values", "gradients"),
    *("loose_features", "loose_lanes", "loose_numbers", "positions"),
    *(f"recent.{name}" for name in _RECENT),
)
_CONTENT = {"params": dict, "intercept_scaling": float, "counts": list, "n_features": int}


def store_learner(learner: OnlineLearner, kind: Kind) -> Section:
    """Return the section of the state, without which a model still predicts.

    Names are stored as those of the classes.
    """
    content, arrays = learner.to_arrays()
    arrays["positions"] = learner.positions(kind)
    named = {f"{_PREFIX}{name}": array for name, array in arrays.items()}
    return Section(ONLINE, content, named, required=False)


@dataclass(frozen=True, eq=False)
class StoredLearner:
    """A section that becomes an `OnlineLearner` when called, so that opening a file is fast."""

    meta: Mapping[str, Any]
    arrays: Mapping[str, NDArray[Any]]
    classes: StoredNames

    @classmethod
    def take(cls, section: Section, classes: StoredNames, n_features: int) -> Self:
        """Return the state of a section, which must have as many features as the model."""
        optional = {"siblings": str} if "siblings" in section.content else {}
        section.check_content(_CONTENT | optional)
        if section.content["n_features"] != n_features:
            raise ValueError(
                f"section {section.name!r}: n_features must be {n_features}, as in the model, but "
                f"is {section.content['n_features']}"
            )
        section.check_arrays([f"{_PREFIX}{name}" for name in _ARRAYS])
        arrays = {name.removeprefix(_PREFIX): array for name, array in section.arrays.items()}
        return cls(section.content, arrays, classes)

    def __call__(self) -> OnlineLearner:
        """Return the learner; ValueError if the arrays break a rule."""
        from labeltree.online.learner import OnlineLearner

        arrays = dict(self.arrays)
        n_names = self.classes.n_names
        positions = take(arrays, "positions", "i4", n_names)
        if not np.array_equal(np.sort(positions), np.arange(n_names)):
            raise ValueError("online.positions must contain every label once")
        del arrays["positions"]
        names = self.classes.names[positions].tolist()
        return OnlineLearner.from_arrays(self.meta, arrays, names)


def checked_content(meta: Any) -> tuple[OnlineParams, float, Any, int, str]:
    """Return params, intercept_scaling, counts, n_features and siblings of an online state."""
    if not isinstance(meta, dict) or meta.keys() - {"siblings"} != _CONTENT.keys():
        raise ValueError(f"an online state must have {', '.join(sorted(_CONTENT))}")
    counts, n_features, scaling = (
        meta[name] for name in ("counts", "n_features", "intercept_scaling")
    )
    if not isinstance(counts, list) or len(counts) != 3:
        raise ValueError(f"counts of an online state must be three, but are {counts!r:.40}")
    for name, number in (("n_features", n_features), *(("counts", count) for count in counts)):
        check_count(name, number)
    if not isinstance(scaling, int | float) or not 0 <= scaling <= MAX_NUMBER:
        raise ValueError(f"intercept_scaling must lie in 0..{MAX_NUMBER}, but is {scaling!r:.40}")
    try:
        options = OnlineParams.parse(meta["params"])
    except TypeError as error:
        raise ValueError(str(error)) from None
    siblings = checked_siblings(meta.get("siblings", INDEPENDENT))
    return options, float(scaling), tuple(counts), n_features, siblings
