"""napkinXC: its PLT, which writes to a folder while it trains."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from napkinxc.metrics import Jain_et_al_inverse_propensity
from napkinxc.models import PLT

from benchmarks.rivals.adapters.matrices import as_it_is, as_pairs, from_pairs, read_matrices

read = read_matrices
prepare = as_it_is
ranking = from_pairs
#: Maximum bytes of dense weights, which predict fastest.
_MAX_DENSE = 1 << 30
#: Number of the most probable labels that are weighted.
_WEIGHTED = 100


def train(
    data: tuple[Any, Any],
    model_path: str,
    threads: int,
    propensity: bool = False,
    **settings: Any,
) -> None:
    """Train with its defaults, except for the settings.

    With `propensity`, the predictions that follow weight labels by their inverse propensities.
    """
    X, Y = data
    PLT(model_path, threads=threads, **settings).fit(X, Y)
    # A binary tree over m labels has fewer than 2 m nodes.
    dense_bytes = 2 * Y.shape[1] * X.shape[1] * 4
    weights = Jain_et_al_inverse_propensity(Y).tolist() if propensity else None
    facts = {"dense_bytes": dense_bytes, "label_weights": weights}
    (Path(model_path) / "facts.json").write_text(json.dumps(facts))


def load(model_path: str, threads: int) -> tuple[PLT, list[float] | None]:
    """Load the model, dense if that fits."""
    facts = json.loads((Path(model_path) / "facts.json").read_text())
    load_as = "dense" if facts["dense_bytes"] <= _MAX_DENSE else "map"
    model = PLT(model_path, threads=threads, load_as=load_as)
    model.load()
    return model, facts["label_weights"]


def query(row: Any) -> list[list[tuple[int, float]]]:
    """Return a row as pairs, which is slightly faster than a matrix with one row."""
    return [as_pairs(row)]


def predict(model: tuple[PLT, list[float] | None], rows: Any, k: int) -> Any:
    """Return the top labels of one or many rows."""
    plt, weights = model
    if weights is None:
        return plt.predict_proba(rows, top_k=k)
    # Its own `labels_weights` ends the process.
    found = plt.predict_proba(rows, top_k=_WEIGHTED)
    return [sorted(row, key=lambda pair: -pair[1] * weights[pair[0]])[:k] for row in found]


predict_one = predict
