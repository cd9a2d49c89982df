"""How an estimator is written to a model file and comes back from one."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cached_property
from typing import Any, Self

from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from labeltree import storage
from labeltree.data.labels import Kind
from labeltree.estimators.files import classifier_contents, restore_classifier
from labeltree.model.model import Model
from labeltree.storage.names import StoredNames


class StoredMixin:
    """`save`, and names that are decoded when they are first asked for."""

    model_: Any
    trees_: Any
    tree_: Any
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

    def compress(self) -> Self:
        """Round weights to one byte each, 255 steps for each node, and return the estimator.

        Files and memory become about half as large and answers a little faster; probabilities
        change a little (docs/queries.md has figures). Compressed models cannot be restored; fit
        again for full weights.

        Examples
        --------
        >>> from labeltree import PLTClassifier
        >>> X = [[i * j % 7 for j in range(99)] for i in range(30)]
        >>> clf = PLTClassifier(prune=0.0).fit(X, [i % 3 for i in range(30)])
        >>> before = clf.model_.n_bytes
        >>> clf.compress().model_.n_bytes < before
        True
        """
        check_is_fitted(self, "model_")
        if not isinstance(self.model_, Model):
            raise ValueError("only native nodes have weights to compress, but nodes are estimators")
        self.model_ = self.model_.rounded()
        return self

    def _contents(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        return classifier_contents(self)

    @classmethod
    def _from_contents(
        cls, header: dict[str, Any], arrays: Mapping[str, NDArray[Any]], *, every_weight: bool
    ) -> Self:
        classifier: Self = restore_classifier(cls, header, arrays, every_weight=every_weight)
        return classifier

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
