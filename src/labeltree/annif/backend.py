"""The backend: trains on Annif corpora and returns Annif suggestions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import annif.util
from annif.backend.backend import AnnifLearningBackend
from annif.backend.hyperopt import AnnifHyperoptBackend
from annif.exception import (
    ConfigurationException,
    NotInitializedException,
    NotSupportedException,
    OperationFailedException,
)
from annif.suggestion import SuggestionBatch

from labeltree.annif import NAME
from labeltree.annif.optimizer import Objective, Optimizer
from labeltree.annif.suggestions import inactive_labels, suggest
from labeltree.annif.training_data import TrainingData, labeled_parts
from labeltree.estimators import PLTClassifier
from labeltree.storage import ModelFileError, load
from labeltree.text import TextTagger
from labeltree.text.options import AUTO, TextOptions

_CACHED = "cached"  # what Annif passes as the corpus to reuse the previous one
_CLASSIFIER = PLTClassifier().get_params(deep=False)


def _number_or_auto(text: str) -> int | float | str:
    if text == AUTO:
        return text
    return int(text) if text.isdigit() else float(text)


def _interactions(text: str) -> int | float | str | None:
    return None if text == "none" else _number_or_auto(text)


# Project settings in addition to Annif's `limit`, with the function that parses their text. `ngram`
# and `min_df` are named as in Annif's other backends, all others as in the library.
_TEXT_SETTINGS: dict[str, Callable[[str], Any]] = {
    "ngram": int,
    "min_df": _number_or_auto,
    "max_features": int,
    "sublinear_tf": annif.util.boolean,
}
_MODEL_SETTINGS: dict[str, Callable[[str], Any]] = {
    "effort": str,
    "tree": str,
    "n_trees": int,
    "loss": str,
    "C": _number_or_auto,
    "class_weight": str,
    "max_nonzeros": int,
    "interactions": _interactions,
    "max_memory": str,
}
_QUANTIZE = "quantize"


# Annif has no type information, so its classes are Any to mypy.
class LabeltreeBackend(AnnifLearningBackend, AnnifHyperoptBackend):  # type: ignore[misc]
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
    _inactive: tuple[Any, tuple[int, ...]] | None = None

    # Training -----------------------------------------------------------------------------------

    def _train(self, corpus: Any, params: Mapping[str, Any], jobs: int = 0) -> None:
        classifier = PLTClassifier(n_jobs=jobs or None, **self._model_settings(params))
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
        self._replace(tagger)

    def _replace(self, tagger: TextTagger) -> None:
        """Save a tagger, which has only the name of its analyzer, and use it from now on."""
        tagger.save(self._path(self.MODEL_FILE))
        self._model = self._with_analyzer(tagger)
        self._inactive = None

    def _learn(self, corpus: Any, params: Mapping[str, Any]) -> None:
        # From the file, so that a call that fails changes nothing.
        stored = self._load()
        tagger, n_learned = self._with_analyzer(stored), 0
        try:
            for texts, subjects in labeled_parts(corpus.documents):
                tagger.partial_fit(texts, subjects)
                n_learned += len(texts)
        except (AttributeError, ValueError) as error:  # several trees, or rankers
            raise NotSupportedException(
                f"Cannot learn: {error}", project_id=self.project.project_id
            ) from error
        self.info(f"learned {n_learned} documents")
        if n_learned:
            self._replace(TextTagger.from_parts(stored.features_, tagger.classifier_))

    def get_hp_optimizer(self, corpus: Any, metric: str) -> Optimizer:
        """Return the optimizer for validation documents and a metric of Annif."""
        return Optimizer(self, corpus, metric, Objective)

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

    def _model_settings(self, params: Mapping[str, Any]) -> dict[str, Any]:
        return self._settings(_MODEL_SETTINGS, params)

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
        self._model = self._with_analyzer(self._load())

    def _load(self) -> TextTagger:
        """Return the tagger of the model file, with only the name of its analyzer."""
        path = self._path(self.MODEL_FILE)
        if not path.exists():
            raise NotInitializedException(f"model {path} not found", backend_id=self.backend_id)
        self.debug(f"loading model from {path}")
        try:
            tagger = load(path)
        except ModelFileError as error:
            raise OperationFailedException(str(error), backend_id=self.backend_id) from error
        assert isinstance(tagger, TextTagger)
        self._check_analyzer(tagger.features_.options)
        return tagger

    def _suggest_batch(self, documents: list[Any], params: Mapping[str, Any]) -> SuggestionBatch:
        assert self._model is not None  # Annif initializes first
        classifier = self._model.classifier_
        classifier.n_jobs = 1 if self._is_parallel else None
        X = self._model.features_.transform([document.text for document in documents])
        n_subjects = len(self.project.subjects)
        return suggest(classifier, X, int(params["limit"]), n_subjects, self._inactive_labels())

    def _inactive_labels(self) -> tuple[int, ...]:
        """Return the labels of subjects that are removed from the vocabulary, or excluded."""
        assert self._model is not None
        subjects = self.project.subjects
        if self._inactive is None or self._inactive[0] is not subjects:
            self._inactive = subjects, inactive_labels(self._model.classes_, subjects)
        return self._inactive[1]

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
