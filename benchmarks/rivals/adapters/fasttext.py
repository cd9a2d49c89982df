"""fastText: its classifier over words, which ignores the values of features."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import fasttext

from benchmarks.rivals.adapters.matrices import Ranking, from_pairs, one_by_one

_PREFIX = "__label__"


def read(files: Mapping[str, str]) -> str:
    """Return the text file, which fastText reads itself: parsing is part of its training."""
    return files["text"]


def train(data: str, model_path: str, threads: int, **settings: Any) -> None:
    """Train with its defaults, except for the settings."""
    fasttext.train_supervised(input=data, thread=threads, verbose=0, **settings).save_model(
        model_path
    )


def load(model_path: str, threads: int) -> Any:
    """Load the model."""
    return fasttext.load_model(model_path)


def query(row: Any) -> str:
    """Return the features of a row as words."""
    return " ".join(f"f{j}" for j in row.indices.tolist()) + "\n"


prepare = one_by_one(query)


def predict_one(model: Any, query: str, k: int) -> Any:
    """Return the top labels of one row."""
    # The predict of the wrapper needs numpy 1; the compiled class does not.
    return model.f.predict(query, k, 0.0, "strict")


def predict(model: Any, rows: list[str], k: int) -> list[Any]:
    """Return the top labels of each row; it predicts on one thread."""
    return [predict_one(model, row, k) for row in rows]


def ranking(found: list[Any], k: int) -> Ranking:
    """Return the ranking of the labels by number."""
    # It adds 0.00001 to a probability before it takes the logarithm.
    pairs = [[(int(name.removeprefix(_PREFIX)), min(p, 1.0)) for p, name in row] for row in found]
    return from_pairs(pairs, k)
