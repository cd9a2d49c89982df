"""How an estimator is written to a model file and comes back from one."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cached_property
from typing import Any

from numpy.typing import NDArray

from labeltree import storage
from labeltree.data.labels import Kind
from labeltree.model import Model
from labeltree.storage.names import StoredNames
from labeltree.trees import LabelTree


class StoredMixin:
    """`save`, and names that are decoded when they are first asked for."""

    model_: Any
    trees_: list[LabelTree]
    tree_: LabelTree
    label_kind_: str
    n_features_in_: int
    _stored_names: Mapping[str, StoredNames]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the fitted estimator to one file, all or nothing; `labeltree.load` opens it.

        A file of that name is replaced once the new one is on the disk. Labels must be all text or
        all numbers, parameters plain values, and nodes native; anything else can only be pickled.
        `checkpoint` is not kept.
        """
        estimator: Any = self
        storage.save(estimator, path)

    def _restore(
        self,
        model: Model,
        label_kind: Kind,
        names: Mapping[str, StoredNames],
        training: Mapping[str, int],
    ) -> None:
        """Take what was read from a file; the counterpart of `_take`."""
        self.model_ = model
        self.trees_ = list(model.trees)
        self.tree_ = self.trees_[0]
        self.label_kind_ = label_kind
        self.n_features_in_ = model.n_features
        self._stored_names = names
        for name, value in training.items():
            setattr(self, f"{name}_", value)

    # A fit sets these; a model from a file makes them when they are first asked for.
    @cached_property
    def classes_(self) -> NDArray[Any]:
        return self._decode("classes_")

    @cached_property
    def feature_names_in_(self) -> NDArray[Any]:
        return self._decode("feature_names_in_")

    def _decode(self, name: str) -> NDArray[Any]:
        stored: Mapping[str, StoredNames] = self.__dict__.get("_stored_names", {})
        if name not in stored:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return stored[name].names

    def __getstate__(self) -> dict[str, Any]:
        for name in self.__dict__.get("_stored_names", ()):
            getattr(self, name)
        above: Any = super()
        state: dict[str, Any] = dict(above.__getstate__())
        state.pop("_stored_names", None)
        return state
