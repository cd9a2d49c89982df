"""Rankers: a second classifier for each label, which re-ranks the labels that the trees find."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labeltree import _core
from labeltree.arguments import MAX_INT32
from labeltree.model.layout import LAYOUT_DTYPES, Layout
from labeltree.model.links import NO_FACTORS, Link
from labeltree.model.stored import stored_layout, with_weight_bytes
from labeltree.trees import LabelTree

#: Slope and intercept of the sigmoid that turns the score of a ranker into its estimate; they rank
#: well on all data sets of docs/explanation/study-reranking.md.
RANKER_LINK = Link(3.0, 1.0)
#: Number of labels that a search re-ranks, unless it returns more
#: (docs/explanation/study-reranking.md).
N_CANDIDATES = 10

_PREFIX = "rankers"
_META = ("slope", "intercept", "n_candidates")
_MAX_LINK = 1e6


@dataclass(frozen=True, eq=False)
class Rankers:
    """A linear classifier for each label, in addition to those on its path.

    Nodes of a tree tell the rows of a label from those of its siblings. The ranker tells them from
    rows that the trees take for rows of the label. The probability of a label is the mean over the
    trees times the sigmoid of slope * score + intercept.

    Parameters
    ----------
    layout
        The classifiers, as those of the leaves of the first tree. Other nodes have no weights.
    link
        Slope and intercept.
    n_candidates
        Number of labels that a search for the k most probable labels re-ranks, unless k is larger.
    """

    layout: Layout
    link: Link = RANKER_LINK
    n_candidates: int = N_CANDIDATES

    def native(self, tree: LabelTree, n_features: int) -> _core.TreeModel:
        """Return the classifiers for searches."""
        slope, intercept = (np.array([value], np.float32) for value in self.link)
        try:
            return _core.TreeModel(
                tree._native,
                n_features,
                *self.layout,
                slope,
                intercept,
                NO_FACTORS,
                has_root=True,
                siblings=_core.SiblingSums.independent,
            )
        except ValueError as error:
            raise ValueError(f"{_PREFIX}: {error}") from None

    # The model file -----------------------------------------------------------------------------

    def to_arrays(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """Return a part that JSON can represent, and arrays by name."""
        meta = {**self.link._asdict(), "n_candidates": self.n_candidates}
        arrays = {f"{_PREFIX}.{name}": array for name, array in self.layout._asdict().items()}
        return meta, arrays

    @classmethod
    def from_arrays(cls, meta: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Rankers:
        """Return what `to_arrays` was called on.

        Raises
        ------
        ValueError
            If any part is missing, unknown or breaks a rule. `native` checks the arrays.
        """
        if meta.keys() != set(_META):
            raise ValueError(f"rankers must have {', '.join(_META)}, and nothing else")
        for name in ("slope", "intercept"):
            value = meta[name]
            if type(value) not in (int, float) or not abs(value) <= _MAX_LINK:
                raise ValueError(
                    f"{name} of rankers must be a number of at most {_MAX_LINK:g}, "
                    f"but is {value!r:.40}"
                )
        number = meta["n_candidates"]
        if type(number) is not int or not 1 <= number <= MAX_INT32:
            raise ValueError(
                f"n_candidates must be an integer in 1..{MAX_INT32}, but is {number!r:.40}"
            )
        arrays = with_weight_bytes(arrays)
        layout = stored_layout(arrays, _PREFIX)
        if len(arrays) != len(LAYOUT_DTYPES):
            raise ValueError("the arrays of rankers must be those of a layout, but there are more")
        return cls(layout, Link(float(meta["slope"]), float(meta["intercept"])), number)
