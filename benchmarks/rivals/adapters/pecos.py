"""PECOS: XR-Linear over hierarchical k-means of the labels' features."""

from __future__ import annotations

from typing import Any

import numpy as np
from pecos.xmc import Indexer, LabelEmbeddingFactory
from pecos.xmc.xlinear.model import XLinearModel

from benchmarks.rivals.adapters.matrices import as_it_is, from_scores, read_matrices

read = read_matrices
query = prepare = as_it_is
ranking = from_scores


def train(data: tuple[Any, Any], model_path: str, threads: int, **settings: Any) -> None:
    """Cluster the labels and train, with its defaults except for the settings."""
    X, Y = data
    Y = Y.astype(np.float32)
    vectors = LabelEmbeddingFactory.create(Y, X, method="pifa", threads=threads)
    chain = Indexer.gen(vectors, indexer_type="hierarchicalkmeans", threads=threads, **settings)
    XLinearModel.train(X, Y.tocsc(), C=chain, threads=threads, **settings).save(model_path)


def compile(model_path: str, target: str) -> None:
    """Write the model as files that can be memory-mapped."""
    XLinearModel.compile_mmap_model(model_path, target)


def load(model_path: str, threads: int, layout: str) -> tuple[XLinearModel, int]:
    """Load the model in one of its layouts: "hash" of chunks in memory, or "mmap"."""
    options = {} if layout == "mmap" else {"weight_matrix_type": "HASH_CHUNKED"}
    return XLinearModel.load(model_path, is_predict_only=True, **options), threads


def predict(model: tuple[XLinearModel, int], rows: Any, k: int) -> Any:
    """Return the scores of the top labels of one or many rows."""
    return model[0].predict(rows, only_topk=k, threads=model[1])


predict_one = predict
