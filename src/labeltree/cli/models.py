"""Models in commands, for texts and for numeric features."""

from __future__ import annotations

import argparse
import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labeltree import PLTClassifier, TextTagger, load, metrics
from labeltree.cli.inputs import Data, Texts, UsageError, check_folder
from labeltree.data import LabelRows, targets
from labeltree.data.files import PACKED
from labeltree.text.named_encoders import check_name

K = 5


def check_model_file(path: str) -> None:
    """Refuse an output file that cannot be written, before any work is done."""
    target = Path(path)
    if path == "-" or target.suffix in PACKED:
        raise UsageError(f"a model is written to a plain file such as model.lt, but -o is {path}")
    if target.is_dir():
        raise UsageError(f"{path} is a folder, but a model is a single file; add a file name")
    check_folder(path)
    if target.exists() and not os.access(target, os.W_OK):
        raise UsageError(f"{path}: you have no permission to write to it")


def encoder_argument(text: str) -> str:
    """Return the name of an encoder that was given on the command line."""
    try:
        return check_name(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def add_encoder_argument(parser: Any) -> None:
    """Add the option that opens the encoder of a model file."""
    parser.add_argument(
        "--encoder",
        type=encoder_argument,
        metavar="NAME",
        help="open the encoder that the model was trained with from the Hugging Face hub or a "
        "folder; not needed if it is in the local cache of the hub",
    )


def open_model(path: str, encoder: str | None = None) -> Any:
    """Return the model of a file; one of texts with the encoder, if it is given."""
    model = load(path)
    if encoder is None:
        return model
    if not isinstance(model, TextTagger):
        raise UsageError("--encoder is for models of texts, but this one has numeric features")
    if not model.features_.n_embeddings:
        raise UsageError("--encoder is for models trained with one, but this one has words only")
    return model.set_encoder(encoder)


@dataclass(frozen=True)
class Evaluation:
    """Predictions of a model for labeled rows."""

    classifier: PLTClassifier
    X: Any
    truth: LabelRows  # numbered as in the classifier; labels unknown to it come last

    @classmethod
    def of(cls, model: PLTClassifier | TextTagger, data: Data | Texts) -> Evaluation:
        """Return the evaluation of a model on data of its kind."""
        classifier = model.classifier_ if isinstance(model, TextTagger) else model
        if isinstance(model, TextTagger):
            if not isinstance(data, Texts):
                raise UsageError(
                    "the model was trained on texts, but the data has numeric features"
                )
            if model.features_.embeddings.are_given:
                raise UsageError(
                    "the model needs embeddings, which commands cannot read; use Python"
                )
            X = model.features_.transform(data.texts)
            truth = targets.true_labels(data.tags, classifier.classes_)
        else:
            if not isinstance(data, Data) or data.X is None:
                raise UsageError(
                    "the model was trained on numeric features, but the data has texts"
                )
            X = data.X
            truth = targets.true_labels(data.rows, classifier.classes_)
        return cls(classifier, X, truth)

    @cached_property
    def top(self) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """The top labels of each row, and their probabilities."""
        return self.classifier.top_k(self.X, K)

    @property
    def n_unknown(self) -> tuple[int, int]:
        """The number of labels that the model does not know, and of rows that have one."""
        is_unknown = self.truth.indices >= len(self.classifier.classes_)
        rows = np.repeat(np.arange(self.truth.n_rows), np.diff(self.truth.indptr))
        return len(np.unique(self.truth.indices[is_unknown])), len(np.unique(rows[is_unknown]))

    def figures(self) -> dict[str, float]:
        """Metrics by name."""
        labels, probabilities = self.top
        return metrics.evaluate(self.truth, labels, probabilities=probabilities)
