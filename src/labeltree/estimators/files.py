"""`save` and `load` of fitted classifiers."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar, Self

from labeltree import storage
from labeltree.arguments import checked
from labeltree.estimators.fitted import FittedAttributes
from labeltree.estimators.learning_lock import one_at_a_time
from labeltree.estimators.sections import SECTION_NAMES, classifier_sections, restore_classifier
from labeltree.estimators.state import FittedState
from labeltree.storage import Section


class FilesMixin(FittedAttributes):
    """`save`, `quantize` and the sections of a model file."""

    _section_names: ClassVar = SECTION_NAMES

    @checked
    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the fitted estimator to one file, all or nothing; `labeltree.load` opens it.

        An existing file is replaced once the new one is on the disk. Labels must be all text or all
        numbers, parameters plain values, and nodes native. Other estimators can only be pickled.
        Parameters that describe a run are not saved: `n_jobs`, `verbose`, `max_memory`,
        `checkpoint_dir` and `executor`. The same fit writes the same bytes.
        """
        storage.save(self, path)

    @one_at_a_time
    def quantize(self) -> Self:
        """Round weights to 8 bits, with 255 steps per node, and return the estimator.

        Files and memory become about a third smaller and predictions a little faster; probabilities
        change slightly (docs/how-to/prediction.md has figures). Models with pairs of features have
        8-bit weights from the start. For others, fit again to get 16-bit weights back.

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

    @one_at_a_time
    def _sections(self) -> list[Section]:
        return classifier_sections(self, self._fitted)

    @classmethod
    def _from_sections(cls, sections: Mapping[str, Section], *, every_weight: bool) -> Self:
        return cls._of_state(*restore_classifier(cls, sections, every_weight=every_weight))

    @classmethod
    def _of_state(cls, parameters: dict[str, Any], state: FittedState) -> Self:
        estimator = cls(**parameters)
        estimator._state = state
        return estimator
