"""The backend: Annif's corpora in, Annif's suggestions out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import annif.util
import numpy as np
from annif.backend.backend import AnnifBackend
from annif.exception import (
    ConfigurationException,
    NotInitializedException,
    NotSupportedException,
    OperationFailedException,
)
from annif.suggestion import SuggestionBatch
from numpy.typing import NDArray
from scipy import sparse

from labeltree.annif import NAME
from labeltree.annif.training_data import TrainingData
from labeltree.estimators import PLTClassifier
from labeltree.storage import ModelFileError, load
from labeltree.text import TextTagger
from labeltree.text.features import AUTO, TextOptions

_CACHED = "cached"  # what Annif gives for a corpus when the last one is to be used again
_CLASSIFIER = PLTClassifier().get_params(deep=False)


def _count_or_share(text: str) -> int | float | str:
    if text == AUTO:
        return text
    return int(text) if text.isdigit() else float(text)


# Settings of a project beside Annif's `limit`, and what makes a value of their text. `ngram` and
# `min_df` are called as in Annif's other backends, all else as in the library.
_TEXT_SETTINGS: dict[str, Callable[[str], Any]] = {
    "ngram": int,
    "min_df": _count_or_share,
    "max_features": int,
    "sublinear_tf": annif.util.boolean,
}
_MODEL_SETTINGS: dict[str, Callable[[str], Any]] = {
    "tree": str,
    "n_trees": int,
    "loss": str,
    "C": float,
    "class_weight": str,
    "max_nonzeros": int,
    "max_memory": str,
}
_QUANTIZE = "quantize"


# Annif has no type information, so its classes are Any to mypy.
class LabeltreeBackend(AnnifBackend):  # type: ignore[misc]
    """A label tree over the words that the analyzer of a project makes."""

    name = NAME

    MODEL_FILE = "labeltree-model.lt"
    # Annif takes no file with -train in its name for a model.
    TRAIN_FILE = "labeltree-train.lt"

    DEFAULT_PARAMETERS = {  # noqa: RUF012 - the form that Annif gives it
        "ngram": TextOptions.ngram_range[1],
        "min_df": TextOptions.min_df,
        "max_features": TextOptions.max_features,
        "sublinear_tf": TextOptions.sublinear_tf,
        **{name: _CLASSIFIER[name] for name in _MODEL_SETTINGS},
        _QUANTIZE: False,
    }

    # Defaults for instances that are not initialized, as Annif has them.
    _model: TextTagger | None = None
    _is_parallel = False
    _active: tuple[Any, NDArray[np.bool_]] | None = None

    # Training -----------------------------------------------------------------------------------

    def _train(self, corpus: Any, params: Mapping[str, Any], jobs: int = 0) -> None:
        classifier = PLTClassifier(n_jobs=jobs or None, **self._settings(_MODEL_SETTINGS, params))
        data = self._cached_data() if corpus == _CACHED else self._data(corpus, params)
        self.info(f"training on {data.rows.n_rows} documents")
        try:
            classifier.fit(data.X, data.rows)
        except ValueError as error:  # a setting that the trainer does not take
            raise self._misconfigured(error) from error
        classifier.n_jobs = None  # how many predict is not the trainer's choice
        tagger = TextTagger.from_parts(data.features, classifier)
        if annif.util.boolean(params[_QUANTIZE]):
            tagger.quantize()
        tagger.save(self._path(self.MODEL_FILE))
        self._model = self._opened(tagger)
        self._active = None

    def _data(self, corpus: Any, params: Mapping[str, Any]) -> TrainingData:
        given = self._settings(_TEXT_SETTINGS, params)
        try:
            options = TextOptions(ngram_range=(1, given.pop("ngram")), **given)
        except ValueError as error:
            raise self._misconfigured(error) from error
        self.info("making features of the documents")
        try:
            data = TrainingData.of(
                corpus.documents, options, self._analyzer, self.project.analyzer.tokenize_words
            )
        except ValueError as error:
            raise NotSupportedException(
                f"Cannot train {NAME} project: {error}", project_id=self.project.project_id
            ) from error
        data.save(self._path(self.TRAIN_FILE))
        return data

    def _cached_data(self) -> TrainingData:
        path = self._path(self.TRAIN_FILE)
        if not path.exists():
            raise NotInitializedException(
                f"{path} not found; train on a corpus first", backend_id=self.backend_id
            )
        self.info("Reusing cached training data from previous run.")
        try:
            data = TrainingData.load(path)
        except ModelFileError as error:
            raise OperationFailedException(str(error), backend_id=self.backend_id) from error
        self._check_analyzer(data.features.options)
        return data

    def _settings(
        self, known: Mapping[str, Callable[[str], Any]], params: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Return settings as values; those of a configuration file are all text."""
        made = {}
        for name, parse in known.items():
            value = params[name]
            try:
                made[name] = parse(value) if isinstance(value, str) else value
            except ValueError as error:
                raise self._misconfigured(f"{name} is {value!r}: {error}") from error
        return made

    def _misconfigured(self, why: object) -> Exception:
        error: Exception = ConfigurationException(str(why), project_id=self.project.project_id)
        return error

    # Answers ------------------------------------------------------------------------------------

    def initialize(self, parallel: bool = False) -> None:
        """Open the model; with `parallel`, each of several processes answers on one thread."""
        self._is_parallel |= parallel
        if self._model is not None:
            return
        path = self._path(self.MODEL_FILE)
        if not path.exists():
            raise NotInitializedException(f"model {path} not found", backend_id=self.backend_id)
        self.debug(f"loading model from {path}")
        try:
            tagger = load(path)
        except ModelFileError as error:
            raise OperationFailedException(str(error), backend_id=self.backend_id) from error
        self._check_analyzer(tagger.features_.options)
        self._model = self._opened(tagger)

    def _suggest_batch(self, documents: list[Any], params: Mapping[str, Any]) -> SuggestionBatch:
        assert self._model is not None  # Annif initializes first
        n_subjects = len(self.project.subjects)
        limit = int(params["limit"])
        if limit < 1:
            return SuggestionBatch(sparse.csr_array((len(documents), n_subjects), dtype=np.float32))
        X = self._model.features_.transform([document.text for document in documents])
        classifier = self._model.classifier_
        classifier.n_jobs = 1 if self._is_parallel else None
        found = classifier.predict_proba(X, k=min(limit, len(classifier.classes_)))
        subjects = classifier.classes_[found.indices]
        # Nothing is suggested for a text without a known word, nor what the vocabulary has dropped.
        has_words = np.repeat(np.diff(X.indptr) > 0, np.diff(found.indptr))
        is_active = self._is_active()
        found.data *= has_words & is_active[subjects]
        shape = (len(documents), len(is_active))
        batch = sparse.csr_array((found.data, subjects, found.indptr), shape)
        batch.eliminate_zeros()
        return SuggestionBatch(batch[:, :n_subjects])

    def _is_active(self) -> NDArray[np.bool_]:
        """Whether each subject, by number, may be suggested."""
        assert self._model is not None
        subjects = self.project.subjects
        if self._active is None or self._active[0] is not subjects:
            mask = np.zeros(max(len(subjects), int(self._model.classes_.max()) + 1), bool)
            mask[[number for number, _ in subjects.active]] = True
            self._active = subjects, mask
        return self._active[1]

    # The words ----------------------------------------------------------------------------------

    @property
    def _analyzer(self) -> str:
        """The name of what makes words of texts, as it stands in files."""
        return f"Annif {self.project.analyzer_spec}"

    def _check_analyzer(self, options: TextOptions) -> None:
        if options.tokenizer != self._analyzer:
            raise OperationFailedException(
                f"the model was trained with the analyzer {options.tokenizer}, but the project has "
                f"{self._analyzer}; train it again",
                project_id=self.project.project_id,
            )

    def _opened(self, tagger: TextTagger) -> TextTagger:
        """Return a tagger of a file with the function that makes its words."""
        features = tagger.features_.with_tokenizer(self.project.analyzer.tokenize_words)
        return TextTagger.from_parts(features, tagger.classifier_)

    def _path(self, name: str) -> Path:
        return Path(self.datadir, name)
