"""fastText: hierarchical softmax over words; the values of the features are lost on it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import fasttext

from benchmarks.rivals.adapters.matrices import Ranking, from_pairs

_PREFIX = "__label__"


def read(files: Mapping[str, str]) -> str:
    """Return the text file, which fastText reads itself: parsing is part of its training."""
    return files["text"]


def train(data: str, model_path: str, threads: int, **settings: Any) -> None:
    """Train with its defaults, but for the settings."""
    fasttext.train_supervised(input=data, thread=threads, verbose=0, **settings).save_model(
        model_path
    )


def load(model_path: str, threads: int) -> Any:
    """Open the model."""
    return fasttext.load_model(model_path)


def predict(model: Any, X: Any, k: int) -> Ranking:
    """Rank the labels of each row."""

    def answers() -> Iterator[list[tuple[int, float]]]:
        for i in range(X.shape[0]):
            words = X.indices[X.indptr[i] : X.indptr[i + 1]].tolist()
            # The wrapper's own predict needs numpy 1; the compiled class below it does not.
            found = model.f.predict(" ".join(f"f{j}" for j in words) + "\n", k, 0.0, "strict")
            yield [(int(label.removeprefix(_PREFIX)), score) for score, label in found]

    return from_pairs(answers(), X.shape[0], k)
