"""napkinXC: its PLT, which writes to a folder while it trains."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from napkinxc.models import PLT

from benchmarks.rivals.adapters.matrices import as_it_is, as_pairs, from_pairs, read_matrices

read = read_matrices
prepare = as_it_is
ranking = from_pairs
#: Maximum bytes of dense weights, which predict fastest.
_MAX_DENSE = 1 << 30


def train(data: tuple[Any, Any], model_path: str, threads: int, **settings: Any) -> None:
    """Train with its defaults, except for the settings."""
    X, Y = data
    PLT(model_path, threads=threads, **settings).fit(X, Y)
    # A binary tree over m labels has fewer than 2 m nodes.
    dense_bytes = 2 * Y.shape[1] * X.shape[1] * 4
    (Path(model_path) / "layout.json").write_text(json.dumps({"dense_bytes": dense_bytes}))


def load(model_path: str, threads: int) -> PLT:
    """Load the model, dense if that fits."""
    layout = json.loads((Path(model_path) / "layout.json").read_text())
    load_as = "dense" if layout["dense_bytes"] <= _MAX_DENSE else "map"
    model = PLT(model_path, threads=threads, load_as=load_as)
    model.load()
    return model


def query(row: Any) -> list[list[tuple[int, float]]]:
    """Return a row as pairs, which is slightly faster than a matrix with one row."""
    return [as_pairs(row)]


def predict(model: PLT, rows: Any, k: int) -> Any:
    """Return the top labels of one or many rows."""
    return model.predict_proba(rows, k=k)


predict_one = predict
