"""The backend: trains on Annif corpora and returns Annif suggestions."""

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
from labeltree.text.options import AUTO, TextOptions

_CACHED = "cached"  # what Annif passes as the corpus to reuse the previous one
_CLASSIFIER = PLTClassifier().get_params(deep=False)


def _count_or_share(text: str) -> int | float | str:
    if text == AUTO:
        return text
    return int(text) if text.isdigit() else float(text)


# Project settings in addition to Annif's `limit`, with the function that parses their text. `ngram`
# and `min_df` are named as in Annif's other backends, all others as in the library.
_TEXT_SETTINGS: dict[str, Callable[[str], Any]] = {
    "ngram": int,
    "min_df": _count_or_share,
    "max_features": int,
    "sublinear_tf": annif.util.boolean,
}
_MODEL_SETTINGS: dict[str, Callable[[str], Any]] = {
    "effort": str,
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
    """A label tree over the words that the analyzer of a project produces."""

    name = NAME

    MODEL_FILE = "labeltree-model.lt"
    # Annif does not treat files with -train in their name as models.
    TRAIN_FILE = "labeltree-train.lt"

    DEFAULT_PARAMETERS = {  # noqa: RUF012 - the form that Annif requires
        "ngram": TextOptions.ngram_range[1],
        "min_df": TextOptions.min_df,
        "max_features": TextOptions.max_features,
        "sublinear_tf": TextOptions.sublinear_tf,
        **{name: _CLASSIFIER[name] for name in _MODEL_SETTINGS},
        _QUANTIZE: False,
    }

    # Defaults for instances that are not initialized, as in Annif's own backends.
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
        except ValueError as error:  # a setting that the trainer refuses
            raise self._misconfigured(error) from error
        classifier.n_jobs = None  # prediction sets its own number of threads
        tagger = TextTagger.from_parts(data.features, classifier)
        if annif.util.boolean(params[_QUANTIZE]):
            tagger.quantize()
        tagger.save(self._path(self.MODEL_FILE))
        self._model = self._with_analyzer(tagger)
        self._active = None

    def _data(self, corpus: Any, params: Mapping[str, Any]) -> TrainingData:
        given = self._settings(_TEXT_SETTINGS, params)
        try:
            options = TextOptions(ngram_range=(1, given.pop("ngram")), **given)
        except ValueError as error:
            raise self._misconfigured(error) from error
        self.info("extracting features from the documents")
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
        """Return settings as values; in a configuration file, all settings are text."""
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

    # Suggestions --------------------------------------------------------------------------------

    def initialize(self, parallel: bool = False) -> None:
        """Load the model; with `parallel`, each of several processes predicts on one thread."""
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
        self._model = self._with_analyzer(tagger)

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
        # Texts without a known word get no suggestions; removed subjects are never suggested.
        has_words = np.repeat(np.diff(X.indptr) > 0, np.diff(found.indptr))
        is_active = self._is_active()
        found.data *= has_words & is_active[subjects]
        shape = (len(documents), len(is_active))
        batch = sparse.csr_array((found.data, subjects, found.indptr), shape)
        batch.eliminate_zeros()
        return SuggestionBatch(batch[:, :n_subjects])

    def _is_active(self) -> NDArray[np.bool_]:
        """Return whether each subject, by number, may be suggested."""
        assert self._model is not None
        subjects = self.project.subjects
        if self._active is None or self._active[0] is not subjects:
            mask = np.zeros(max(len(subjects), int(self._model.classes_.max()) + 1), bool)
            mask[[number for number, _ in subjects.active]] = True
            self._active = subjects, mask
        return self._active[1]

    # Analyzer -----------------------------------------------------------------------------------

    @property
    def _analyzer(self) -> str:
        """The name of the analyzer, as stored in files."""
        return f"Annif {self.project.analyzer_spec}"

    def _check_analyzer(self, options: TextOptions) -> None:
        if options.tokenizer != self._analyzer:
            raise OperationFailedException(
                f"the model was trained with the analyzer {options.tokenizer}, but the project has "
                f"{self._analyzer}; retrain the project",
                project_id=self.project.project_id,
            )

    def _with_analyzer(self, tagger: TextTagger) -> TextTagger:
        """Return a tagger loaded from a file, with the analyzer of the project."""
        features = tagger.features_.with_tokenizer(self.project.analyzer.tokenize_words)
        return TextTagger.from_parts(features, tagger.classifier_)

    def _path(self, name: str) -> Path:
        return Path(self.datadir, name)
