"""Models as commands use them, whether they take texts or rows of numbers."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labeltree import PLTClassifier, TextTagger, metrics
from labeltree.cli.inputs import Data, Texts, UsageError
from labeltree.data import LabelRows, targets
from labeltree.data.files import PACKED

K = 5


def check_model_file(path: str) -> None:
    """Refuse a file name that no model can be written to, before the work and not after it."""
    target = Path(path)
    if path == "-" or target.suffix in PACKED:
        raise UsageError(f"a model is a plain file, but -o is {path}; name one such as model.lt")
    if target.is_dir():
        raise UsageError(f"{path}: it is a folder; a model is one file")
    if not target.parent.is_dir():
        raise UsageError(f"{path}: there is no folder {target.parent}")
    if target.exists() and not os.access(target, os.W_OK):
        raise UsageError(f"{path}: it is not yours to write to")


@dataclass(frozen=True)
class Judged:
    """What a model answers on rows whose labels are known."""

    classifier: PLTClassifier
    X: Any
    truth: LabelRows  # in the numbers of the classifier; labels unknown to it come last

    @classmethod
    def of(cls, model: PLTClassifier | TextTagger, data: Data | Texts) -> Judged:
        """Ask a model about data of its kind."""
        classifier = model.classifier_ if isinstance(model, TextTagger) else model
        if isinstance(model, TextTagger):
            if not isinstance(data, Texts):
                raise UsageError("the model was trained on texts, but data has rows of numbers")
            if model.features_.n_embeddings:
                raise UsageError(
                    "the model needs embeddings, which commands cannot give; use Python"
                )
            X = model.features_.transform(data.texts)
            truth = targets.true_labels(data.tags, classifier.classes_)
        else:
            if not isinstance(data, Data) or data.X is None:
                raise UsageError("the model was trained on rows of numbers, but data has texts")
            X = data.X
            truth = targets.true_labels(data.rows, classifier.classes_)
        return cls(classifier, X, truth)

    @cached_property
    def top(self) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """The best labels of each row, and their probabilities."""
        return self.classifier.top_k(self.X, K)

    def figures(self) -> dict[str, float]:
        """Metrics by name."""
        labels, probabilities = self.top
        return metrics.evaluate(self.truth, labels, probabilities=probabilities)
