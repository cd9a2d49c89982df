"""PECOS: XR-Linear over hierarchical k-means of the labels' features."""

from __future__ import annotations

from typing import Any

import numpy as np
from pecos.xmc import Indexer, LabelEmbeddingFactory
from pecos.xmc.xlinear.model import XLinearModel

from benchmarks.rivals.adapters.matrices import Ranking, as_it_is, from_scores, read_matrices

read = read_matrices
query = as_it_is


def train(data: tuple[Any, Any], model_path: str, threads: int, **settings: Any) -> None:
    """Cluster the labels and train, with its defaults but for the settings."""
    X, Y = data
    Y = Y.astype(np.float32)
    vectors = LabelEmbeddingFactory.create(Y, X, method="pifa", threads=threads)
    chain = Indexer.gen(vectors, indexer_type="hierarchicalkmeans", threads=threads, **settings)
    XLinearModel.train(X, Y.tocsc(), C=chain, threads=threads, **settings).save(model_path)


def compile(model_path: str, target: str) -> None:
    """Write the model as files that can be mapped."""
    XLinearModel.compile_mmap_model(model_path, target)


def load(model_path: str, threads: int, layout: str) -> tuple[XLinearModel, int]:
    """Open the model in one of its layouts: "hash" of chunks in memory, or "mmap"."""
    options = {} if layout == "mmap" else {"weight_matrix_type": "HASH_CHUNKED"}
    return XLinearModel.load(model_path, is_predict_only=True, **options), threads


def ask(model: tuple[XLinearModel, int], query: Any, k: int) -> Any:
    """Answer one row."""
    return model[0].predict(query, only_topk=k, threads=model[1])


def predict(model: tuple[XLinearModel, int], X: Any, k: int) -> Ranking:
    """Rank the labels of each row."""
    return from_scores(ask(model, X, k), k)
