"""labeltree itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scipy import sparse

import labeltree
from benchmarks.rivals.adapters.matrices import Ranking
from labeltree.data import LabelRows, read_npz, read_npz_labels


def read(files: Mapping[str, str]) -> tuple[Any, LabelRows]:
    """Return X and Y as labeltree holds them."""
    return read_npz(files["X"]), read_npz_labels(files["Y"])


def train(
    data: tuple[Any, LabelRows],
    model_path: str,
    threads: int,
    compress: bool = False,
    **settings: Any,
) -> None:
    """Train with its defaults, but for the settings; `compress` makes weights of one byte."""
    model = labeltree.PLTClassifier(n_jobs=threads, **settings).fit(*data)
    if compress:
        model.compress()
    model.save(model_path)


def load(model_path: str, threads: int) -> Any:
    """Open the model."""
    return labeltree.load(model_path).set_params(n_jobs=threads)


def query(row: Any) -> Any:
    """Return a row as labeltree holds it."""
    return sparse.csr_array(row)


def ask(model: Any, query: Any, k: int) -> Ranking:
    """Answer one row."""
    return predict(model, query, k)


def predict(model: Any, X: Any, k: int) -> Ranking:
    """Rank the labels of each row."""
    ranking: Ranking = model.top_k(X, k)
    return ranking
