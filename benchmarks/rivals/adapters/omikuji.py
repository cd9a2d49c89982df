"""omikuji: trains on a text file; answers one row a call."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from omikuji import Model

from benchmarks.rivals.adapters.matrices import Ranking, as_pairs, from_pairs, rows_of


def read(files: Mapping[str, str]) -> str:
    """Return the text file, which omikuji reads itself: parsing is part of its training."""
    return files["text"]


def train(data: str, model_path: str, threads: int, **settings: Any) -> None:
    """Train with its defaults, but for the settings."""
    parameters = Model.default_hyper_param()
    for name, value in settings.items():
        setattr(parameters, name, value)
    Model.train_on_data(data, parameters, n_threads=threads).save(model_path)


def load(model_path: str, threads: int) -> tuple[Model, int]:
    """Open the model in the layout that answers fastest, which is not its default."""
    model = Model.load(model_path)
    model.init_prediction_thread_pool(threads)
    model.densify_weights(n_threads=threads)
    return model, threads


query = as_pairs


def ask(model: tuple[Model, int], query: Any, k: int) -> list[tuple[int, float]]:
    """Answer one row."""
    answer: list[tuple[int, float]] = model[0].predict(query, top_k=k)
    return answer


def predict(model: tuple[Model, int], X: Any, k: int) -> Ranking:
    """Rank the labels of each row, which is one call a row; its calls release Python's lock."""
    queries = map(as_pairs, rows_of(X))
    if model[1] == 1:
        return from_pairs((ask(model, query, k) for query in queries), X.shape[0], k)
    with ThreadPoolExecutor(model[1]) as pool:
        return from_pairs(pool.map(lambda query: ask(model, query, k), queries), X.shape[0], k)
