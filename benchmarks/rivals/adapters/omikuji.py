"""omikuji: trains on a text file; answers one row a call."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from omikuji import Model

from benchmarks.rivals.adapters.matrices import Ranking, from_pairs


def read(files: Mapping[str, str]) -> str:
    """Return the text file, which omikuji reads itself: parsing is part of its training."""
    return files["text"]


def train(data: str, model_path: str, threads: int, **settings: Any) -> None:
    """Train with its defaults, but for the settings."""
    parameters = Model.default_hyper_param()
    for name, value in settings.items():
        setattr(parameters, name, value)
    Model.train_on_data(data, parameters, n_threads=threads).save(model_path)


def load(model_path: str, threads: int) -> Model:
    """Open the model in the layout that answers fastest, which is not its default."""
    model = Model.load(model_path)
    model.init_prediction_thread_pool(threads)
    model.densify_weights(n_threads=threads)
    return model


def predict(model: Model, X: Any, k: int) -> Ranking:
    """Rank the labels of each row."""

    def answers() -> Iterator[list[tuple[int, float]]]:
        for i in range(X.shape[0]):
            row = slice(X.indptr[i], X.indptr[i + 1])
            pairs = list(zip(X.indices[row].tolist(), X.data[row].tolist(), strict=True))
            yield model.predict(pairs, top_k=k)

    return from_pairs(answers(), X.shape[0], k)
