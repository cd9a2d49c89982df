"""The online state of a model file, which waits there until learning goes on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from labeltree.data.arrays import take
from labeltree.data.labels import Kind
from labeltree.storage.names import StoredNames

if TYPE_CHECKING:
    from labeltree.online.learner import OnlineLearner

_PREFIX = "online."


def store_learner(
    learner: OnlineLearner, kind: Kind
) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Return the state as the file has it; names are stored as those of the classes."""
    meta, arrays = learner.to_arrays()
    arrays["positions"] = learner.positions(kind)
    return meta, {f"{_PREFIX}{name}": array for name, array in arrays.items()}


@dataclass(frozen=True, eq=False)
class StoredLearner:
    """What makes an `OnlineLearner` when it is called: opening a file copies nothing."""

    meta: Any
    arrays: Mapping[str, NDArray[Any]]
    classes: StoredNames

    @classmethod
    def take(cls, meta: Any, arrays: Mapping[str, NDArray[Any]], classes: StoredNames) -> Self:
        """Return the state with the arrays of a file that belong to it."""
        own = {
            name.removeprefix(_PREFIX): array
            for name, array in arrays.items()
            if name.startswith(_PREFIX)
        }
        return cls(meta, own, classes)

    def __call__(self) -> OnlineLearner:
        """Return the learner; ValueError if the file holds none that makes sense."""
        from labeltree.online.learner import OnlineLearner

        arrays = dict(self.arrays)
        n_names = self.classes.n_names
        positions = take(arrays, "positions", "i4", n_names)
        if not np.array_equal(np.sort(positions), np.arange(n_names)):
            raise ValueError("online.positions must hold every label once")
        del arrays["positions"]
        names = self.classes.names[positions].tolist()
        return OnlineLearner.from_arrays(self.meta, arrays, names)
