"""What is in a model file, in words and figures."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, cast

from labeltree.estimators.files import SCALING_WEIGHTS
from labeltree.model.model import Model
from labeltree.storage.container import VERSION, read_file
from labeltree.storage.files import restore
from labeltree.units import format_bytes

_WORDS = {
    "positions": "numbered from 0",
    "numbers": "named by numbers",
    "booleans": "named by booleans",
    "text": "named by text",
    "fixed_text": "named by text",
}


@dataclass(frozen=True)
class Summary:
    """The figures of a model file; `str` lays them out for reading. `summarize` makes one."""

    n_bytes: int
    is_verified: bool  #: whether the checksums of the arrays were compared
    header: dict[str, Any]
    n_labels: int
    n_features: int
    n_bytes_of_weights: int
    trees: list[dict[str, int]]  #: n_nodes, depth and max_degree of each
    changed: dict[str, Any]  #: parameters that are not the defaults
    arrays: list[dict[str, Any]]

    def to_dict(self) -> dict[str, Any]:
        """Return all figures by name, fit for JSON."""
        figures = {"format": VERSION, **vars(self)}
        header = figures.pop("header")
        del figures["changed"]
        return {**header, **figures}

    def __str__(self) -> str:
        return "\n".join(f"{name:<15} {text}".rstrip() for name, text in self._lines())

    def _lines(self) -> list[tuple[str, str]]:
        header, training = self.header, self.header["training"]
        writers = ", ".join(f"{name} {text}" for name, text in header["written_by"].items())
        features = f"{self.n_features:,}, " + _features(header) + self._scaling()
        n_rows, cost = training["n_rows"], training["training_cost"]
        changed = ", ".join(f"{name}={value!r}" for name, value in self.changed.items())
        weights = format_bytes(self.n_bytes_of_weights)
        checksums = "right" if self.is_verified else "not compared; --verify does that"
        return [
            ("file", f"{format_bytes(self.n_bytes)}, format {VERSION}"),
            ("written by", writers),
            ("estimator", f"{header['estimator']}, trained on {header['label_kind']}"),
            ("labels", f"{self.n_labels:,}, {_WORDS[header['label_names']]}"),
            ("features", features),
            *(self._tree_line(t) for t in range(len(self.trees))),
            ("training cost", f"{cost:,} over {n_rows:,} rows, {cost / max(n_rows, 1):,.2f} a row"),
            ("weights", f"{weights}, fitted in {training['n_visits']:,} visits of rows"),
            ("parameters", changed or "all by default"),
            ("checksums", checksums),
            *zip(["arrays"] + [""] * len(self.arrays), map(_array_line, self.arrays), strict=False),
        ]

    def _scaling(self) -> str:
        if "scaling" not in self.header:
            return ""
        n_weights = [array["shape"][0] for array in self.arrays if array["name"] == SCALING_WEIGHTS]
        by_labels = ", weighed by labels" if any(n_weights) else ""
        return f"; values to the power of {self.header['scaling']['power']:g}{by_labels}"

    def _tree_line(self, t: int) -> tuple[str, str]:
        tree = self.trees[t]
        shape = f"{tree['n_nodes']:,} nodes, depth {tree['depth']}"
        return f"tree {t}", f"{shape}, at most {tree['max_degree']:,} children a node"


def summarize(path: str | os.PathLike[str], *, verify: bool = False) -> Summary:
    """Return what is in a model file.

    Parameters
    ----------
    path
        The model file.
    verify
        Whether to compare the checksums of all arrays and to look at every weight.

    Examples
    --------
    >>> import tempfile
    >>> from labeltree import PLTClassifier
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     PLTClassifier(C=2.0).fit([[1], [2]], [[0], [1]]).save(f"{folder}/model.lt")
    ...     summary = summarize(f"{folder}/model.lt")
    >>> summary.n_labels, summary.changed
    (2, {'C': 2.0})
    """
    contents = read_file(path, verify=verify)
    estimator = restore(path, contents, every_weight=verify)
    model = cast(Model, estimator.model_)  # as no file holds a NodeModel
    defaults = type(estimator)().get_params(deep=False)
    changed = {
        name: value
        for name, value in estimator.get_params(deep=False).items()
        if type(value) is not type(defaults[name]) or value != defaults[name]
    }
    return Summary(
        n_bytes=contents.n_bytes,
        is_verified=verify,
        header=contents.header,
        n_labels=model.n_labels,
        n_features=estimator.n_features_in_,
        n_bytes_of_weights=model.n_bytes,
        trees=[
            {"n_nodes": tree.n_nodes, "depth": tree.depth, "max_degree": tree.max_degree}
            for tree in estimator.trees_
        ],
        changed=changed,
        arrays=[
            {**entry._asdict(), "shape": list(entry.shape), "n_bytes": entry.n_bytes}
            for entry in contents.entries
        ],
    )


def _features(header: dict[str, Any]) -> str:
    if "text" not in header:
        return _WORDS[header["feature_names"] or "positions"]
    n_embeddings = header["text"]["n_embeddings"]
    words = "hashed words" if header["text"]["words"] is None else "words"
    return f"{words} and {n_embeddings:,} numbers of embeddings" if n_embeddings else words


def _array_line(array: dict[str, Any]) -> str:
    shape = " x ".join(f"{n:,}" for n in array["shape"])
    size = format_bytes(array["n_bytes"])
    return f"{array['name']:<20} {array['dtype']} {shape:>15} {size:>8}  {array['checksum']}"
