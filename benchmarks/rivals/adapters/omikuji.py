"""omikuji: trains on a text file; predicts one row per call."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from omikuji import Model

from benchmarks.rivals.adapters.matrices import as_pairs, from_pairs, one_by_one


def read(files: Mapping[str, str]) -> str:
    """Return the text file, which omikuji reads itself: parsing is part of its training."""
    return files["text"]


def train(data: str, model_path: str, threads: int, **settings: Any) -> None:
    """Train with its defaults, except for the settings."""
    parameters = Model.default_hyper_param()
    for name, value in settings.items():
        setattr(parameters, name, value)
    Model.train_on_data(data, parameters, n_threads=threads).save(model_path)


def load(model_path: str, threads: int) -> tuple[Model, int]:
    """Load the model in the layout that predicts fastest, which is not its default."""
    model = Model.load(model_path)
    model.init_prediction_thread_pool(threads)
    model.densify_weights(n_threads=threads)
    return model, threads


query = as_pairs
prepare = one_by_one(query)


def predict_one(model: tuple[Model, int], query: Any, k: int) -> list[tuple[int, float]]:
    """Return the top labels of one row."""
    found: list[tuple[int, float]] = model[0].predict(query, top_k=k)
    return found


def predict(model: tuple[Model, int], rows: list[Any], k: int) -> list[Any]:
    """Return the top labels of each row: one call per row, and calls release Python's lock."""
    if model[1] == 1:
        return [model[0].predict(row, top_k=k) for row in rows]
    with ThreadPoolExecutor(model[1]) as pool:
        return list(pool.map(lambda row: predict_one(model, row, k), rows))


ranking = from_pairs
