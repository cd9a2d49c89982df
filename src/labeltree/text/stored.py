"""Taggers in model files."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar, Self

from sklearn.base import clone

from labeltree import storage
from labeltree.arguments import checked
from labeltree.estimators import PLTClassifier
from labeltree.storage.parameters import restore_parameters, store_parameters
from labeltree.storage.registry import check_kind, find_kind
from labeltree.storage.section import Section, take_section
from labeltree.text.features import TextFeatures
from labeltree.text.fitted import FittedMixin
from labeltree.text.online import TaggerState
from labeltree.text.options import OPTION_NAMES, TextOptions

_TEXT = "text"  # the section of the model file


class StoredMixin(FittedMixin):
    """Writes a tagger to a file, and makes one of the sections of a file."""

    _section_names: ClassVar = PLTClassifier._section_names | {_TEXT}
    embedding_weight: float | str

    @classmethod
    def from_parts(cls, features: TextFeatures, classifier: PLTClassifier) -> Self:
        """Return a tagger of text features and a classifier that was fitted to them."""
        make: Any = cls  # a mixin has no parameters
        tagger: Self = make(classifier=clone(classifier), **vars(features.options))
        if features.n_embeddings:
            tagger.encoder = features.embeddings.encoder
            tagger.embedding_weight = features.embeddings.weight
        tagger._state = TaggerState(features, classifier)
        return tagger

    @checked
    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the tagger to one file, words included; `labeltree.load` opens it."""
        storage.save(self, path)

    def _sections(self) -> list[Section]:
        features, classifier = self._fitted
        check_kind(classifier)
        stored, arrays = features.to_arrays()
        content = {
            "classifier": type(classifier).__name__,
            "options": store_parameters(vars(features.options), []),
            **stored,
        }
        estimator, *others = classifier._sections()
        own = replace(estimator, content={**estimator.content, "kind": type(self).__name__})
        return [own, *others, Section(_TEXT, content, arrays)]

    @classmethod
    def _from_sections(cls, sections: Mapping[str, Section], *, every_weight: bool) -> Self:
        text = take_section(sections, _TEXT)
        stored = dict(text.content)
        kind = find_kind(stored.pop("classifier", None))
        if not issubclass(kind, PLTClassifier):
            raise ValueError(f"a TextTagger must have a classifier, but has a {kind.__name__}")
        classifier = kind._from_sections(sections, every_weight=every_weight)
        given = restore_parameters(stored.pop("options", None), OPTION_NAMES, [])
        options = vars(TextOptions()) | given
        n_columns = classifier.n_features_in_
        features = TextFeatures.from_arrays(stored, options, text.arrays, n_columns)
        text.check_arrays(features.array_names)
        return cls.from_parts(features, classifier)
