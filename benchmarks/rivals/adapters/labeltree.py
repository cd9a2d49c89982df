"""labeltree itself."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

import labeltree
from benchmarks.rivals.adapters.matrices import Ranking, as_it_is
from labeltree.data import LabelRows, read_npz, read_npz_labels


def read(files: Mapping[str, str]) -> tuple[Any, LabelRows]:
    """Return X and Y in the format of labeltree."""
    return read_npz(files["X"]), read_npz_labels(files["Y"])


def train(
    data: tuple[Any, LabelRows],
    model_path: str,
    threads: int,
    quantize: bool = False,
    beam: int | None = None,
    **settings: Any,
) -> None:
    """Train with its defaults, except for the settings.

    `quantize` quantizes the weights to 8 bits; `beam` is for the predictions that follow.
    """
    model = labeltree.PLTClassifier(n_jobs=threads, **settings).fit(*data)
    if quantize:
        model.quantize()
    model.save(model_path)
    _beam_path(model_path).write_text(json.dumps(beam))


def load(model_path: str, threads: int) -> tuple[Any, int | None]:
    """Load the model."""
    model = labeltree.load(model_path)
    model.n_jobs = threads
    return model, json.loads(_beam_path(model_path).read_text())


def _beam_path(model_path: str) -> Path:
    return Path(model_path).with_suffix(".beam.json")


def query(row: Any) -> Any:
    """Return the columns and values of a row, for the call for one row."""
    made = sparse.csr_array(row)
    return made.indices.astype(np.int32), made.data.astype(np.float32)


def predict_one(model: Any, query: Any, k: int) -> Any:
    """Return the top labels of one row."""
    tree, beam = model
    return tree.top_k_row(*query, k, beam=beam)


def predict(model: Any, rows: Any, k: int) -> Ranking:
    """Return the top labels of each row."""
    tree, beam = model
    found: Ranking = tree.top_k(rows, k, beam=beam)
    return found


prepare = ranking = as_it_is
