"""Models that the server answers with, and their replacement while it runs."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from labeltree.estimators import PLTClassifier
from labeltree.estimators.summary import summarize
from labeltree.serve.problems import RequestError
from labeltree.storage import load
from labeltree.text import TextTagger

Stamp = tuple[int, int, int]  # inode, size and time of change: another one is another file
_QUESTION = "a text that every model of texts can answer"


@dataclass(frozen=True)
class ServedModel:
    """A model with its name; replaced as a whole, never changed."""

    name: str
    path: str
    stamp: Stamp
    estimator: TextTagger | PLTClassifier
    loaded: float  # seconds since 1970

    @classmethod
    def open(cls, name: str, path: str) -> ServedModel:
        """Load a model file and ask it one question."""
        stamp = stamp_of(path)
        estimator = load(path)
        model = cls(name, path, stamp, estimator, time.time())
        model.classifier.n_jobs = 1  # the workers are the parallelism
        model.check()
        return model

    @property
    def is_text(self) -> bool:
        """Whether the model takes texts."""
        return isinstance(self.estimator, TextTagger) and not self._needs_embeddings

    @property
    def _needs_embeddings(self) -> bool:
        return self.tagger.features_.embeddings.are_given

    @property
    def tagger(self) -> TextTagger:
        """The estimator of a model of texts."""
        assert isinstance(self.estimator, TextTagger)
        return self.estimator

    @property
    def classifier(self) -> PLTClassifier:
        """The label trees."""
        return self.tagger.classifier_ if isinstance(self.estimator, TextTagger) else self.estimator

    @cached_property
    def version(self) -> str:
        """Text that differs from file to file."""
        return f"{self.stamp[2]:x}-{self.stamp[0]:x}"

    def check(self) -> None:
        """Answer one question, so that a model which cannot is never published."""
        if isinstance(self.estimator, TextTagger) and self._needs_embeddings:
            raise ValueError(f"{self.path}: the model needs embeddings, which requests do not have")
        if self.is_text:
            found = [probability for _, probability in self.tagger.tag([_QUESTION], k=1)[0]]
        else:
            row = np.zeros((1, self.classifier.n_features_in_), np.float32)
            found = self.classifier.top_k(row, 1)[1][0].tolist()
        if not all(0 <= probability <= 1 for probability in found):
            raise ValueError(f"{self.path}: a probability must be from 0 to 1, but is {found[0]}")

    @cached_property
    def card(self) -> dict[str, Any]:
        """What the model is, for people and programs."""
        summary = summarize(self.path)
        counts = self.classifier._fitted.counts
        calibration = self.classifier.model_.calibration
        return {
            "name": self.name,
            "version": self.version,
            "loaded": self.loaded,
            "takes": "text" if self.is_text else "features",
            "kind": type(self.classifier).__name__,
            "n_labels": summary.n_labels,
            "n_features": summary.n_features,
            "n_interactions": summary.n_interactions,
            "n_bytes": summary.n_bytes,
            "n_rows": counts.n_rows,
            "trees": summary.trees,
            "is_calibrated": bool(calibration.is_learned),
            "cost_per_row": counts.training_cost / max(counts.n_rows, 1),
            "feature_names": self._feature_names,
        }

    @property
    def _feature_names(self) -> bool:
        return not self.is_text and self.classifier._fitted.feature_names is not None


def stamp_of(path: str) -> Stamp:
    """Return what identifies the content of a file that is only ever replaced."""
    found = Path(path).stat()
    return found.st_ino, found.st_size, found.st_mtime_ns


class Models:
    """The models by name. Readers take the mapping once; a reload replaces it."""

    def __init__(self, files: Mapping[str, str]) -> None:
        self._lock = threading.Lock()
        self._stamps: dict[str, Stamp | None] = {}  # of the last attempt, successful or not
        self.errors: dict[str, str] = {}
        self.n_reloads = self.n_failures = 0
        opened = [ServedModel.open(name, path) for name, path in files.items()]
        self.by_name: Mapping[str, ServedModel] = {model.name: model for model in opened}
        self._default = opened[0]

    def find(self, name: str | None) -> ServedModel:
        """Return the model of a name; the first one for None."""
        if name is None:
            return self._default
        found = self.by_name.get(name)
        if found is None:
            known = ", ".join(sorted(self.by_name))
            raise RequestError(404, f"model must be one of {known}, but is {name!r:.100}")
        return found

    def reload(self, *, always: bool = False) -> None:
        """Replace the models whose files were replaced; a bad file leaves the old model."""
        with self._lock:
            for model in list(self.by_name.values()):
                self._reload(model, always=always)

    def _reload(self, model: ServedModel, *, always: bool) -> None:
        try:
            stamp = stamp_of(model.path)
        except OSError as error:
            self._fail(model, f"{model.path}: {error.strerror}", None)
            return
        if stamp == model.stamp:
            self.errors.pop(model.name, None)
            return
        if not always and stamp == self._stamps.get(model.name):
            return  # it failed before
        try:
            made = ServedModel.open(model.name, model.path)
        except (ValueError, OSError, MemoryError) as error:
            self._fail(model, str(error) or "not enough memory", stamp)
            return
        self.by_name = {**self.by_name, made.name: made}
        if self._default.name == made.name:
            self._default = made
        self.errors.pop(made.name, None)
        self.n_reloads += 1

    def _fail(self, model: ServedModel, message: str, stamp: Stamp | None) -> None:
        if self.errors.get(model.name) != message:
            self.n_failures += 1
        self.errors[model.name] = message
        self._stamps[model.name] = stamp


def named_files(arguments: Sequence[str]) -> dict[str, str]:
    """Return paths by name, given as FILE or NAME=FILE; a name is that of the file by default.

    Examples
    --------
    >>> named_files(["subjects.lt", "news=models/2026.lt"])
    {'subjects': 'subjects.lt', 'news': 'models/2026.lt'}
    """
    files: dict[str, str] = {}
    for argument in arguments:
        name, separator, path = argument.partition("=")
        if not separator or "/" in name:
            name, path = Path(argument).stem, argument
        if not name or not name.isprintable() or "/" in name:
            raise ValueError(f"the name of a model must be plain text, but is {name!r}")
        if name in files:
            raise ValueError(f"models must have different names, but two are {name}; use NAME=FILE")
        files[name] = path
    return files
