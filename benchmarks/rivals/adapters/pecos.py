"""PECOS: XR-Linear over hierarchical k-means of the labels' features."""

from __future__ import annotations

from typing import Any

import numpy as np
from pecos.xmc import Indexer, LabelEmbeddingFactory
from pecos.xmc.xlinear.model import XLinearModel

from benchmarks.rivals.adapters.matrices import Ranking, from_scores, read_matrices

read = read_matrices


def train(data: tuple[Any, Any], model_path: str, threads: int, **settings: Any) -> None:
    """Cluster the labels and train, with its defaults but for the settings."""
    X, Y = data
    Y = Y.astype(np.float32)
    vectors = LabelEmbeddingFactory.create(Y, X, method="pifa", threads=threads)
    chain = Indexer.gen(vectors, indexer_type="hierarchicalkmeans", threads=threads, **settings)
    XLinearModel.train(X, Y.tocsc(), C=chain, threads=threads, **settings).save(model_path)


def load(model_path: str, threads: int) -> tuple[XLinearModel, int]:
    """Open the model in its fastest layout for queries."""
    model = XLinearModel.load(model_path, is_predict_only=True, weight_matrix_type="HASH_CHUNKED")
    return model, threads


def predict(model: tuple[XLinearModel, int], X: Any, k: int) -> Ranking:
    """Rank the labels of each row."""
    opened, threads = model
    return from_scores(opened.predict(X, only_topk=k, threads=threads), k)
