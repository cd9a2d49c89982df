"""What is in a model file, as text and figures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from labeltree.data.feature_pairs import shown_pairs
from labeltree.data.files import Source
from labeltree.estimators.sections import ROW_SCALING, SCALING_WEIGHTS, WRITTEN_BY
from labeltree.model.model import Model
from labeltree.storage.container import VERSION, Contents, read_file
from labeltree.storage.files import restore
from labeltree.storage.hub_files import local_file
from labeltree.storage.registry import known_sections
from labeltree.storage.section import Section
from labeltree.training.effort import written
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
    """The figures of a model file; `str` formats them for reading. `summarize` makes one."""

    n_bytes: int
    is_verified: bool  #: whether the checksums of the arrays were compared
    n_labels: int
    n_features: int
    n_interactions: int  #: pairs of features that rows get as additional features
    n_bytes_of_weights: int
    trees: list[dict[str, int]]  #: n_nodes, depth and max_degree of each
    sections: list[dict[str, Any]]  #: name, required, n_bytes, content and arrays of each
    changed: dict[str, Any]  #: parameters that are not the defaults
    settings: dict[str, Any]  #: what `fit` decided; empty if it is not known
    _known: Mapping[str, Section]

    def to_dict(self) -> dict[str, Any]:
        """Return all figures by name, fit for JSON."""
        left_out = ("changed", "_known")
        figures = {name: value for name, value in vars(self).items() if name not in left_out}
        return {"format": VERSION, **figures}

    def __str__(self) -> str:
        return "\n".join(f"{name:<15} {text}".rstrip() for name, text in self._lines())

    def _lines(self) -> list[tuple[str, str]]:
        estimator = self._known["estimator"].content
        names = self._known["labels"].content["names"]
        training = estimator["training"]
        n_rows, cost = training["n_rows"], training["training_cost"]
        per_row = cost / max(n_rows, 1)
        changed = ", ".join(f"{name}={value!r}" for name, value in self.changed.items())
        weights = format_bytes(self.n_bytes_of_weights)
        checksums = "correct" if self.is_verified else "not compared; use --verify"
        arrays = [array for section in self.sections for array in section["arrays"]]
        return [
            ("file", f"{format_bytes(self.n_bytes)}, format {VERSION}"),
            ("written by", self._writer()),
            ("estimator", f"{estimator['kind']}, trained on {estimator['label_kind']}"),
            ("labels", f"{self.n_labels:,}, {_WORDS[names]}"),
            ("features", f"{self.n_features:,}, {self._features()}{self._scaling()}"),
            *(self._tree_line(t) for t in range(len(self.trees))),
            ("training cost", f"{cost:,} over {n_rows:,} rows, {per_row:,.2f} per row"),
            ("weights", f"{weights}, fitted in {training['n_visits']:,} visits of rows"),
            ("parameters", changed or "all default"),
            ("settings", written(self.settings) if self.settings else "unknown"),
            ("checksums", checksums),
            *_listed("sections", [self._section_line(section) for section in self.sections]),
            *_listed("arrays", [_array_line(array) for array in arrays]),
        ]

    def _writer(self) -> str:
        if WRITTEN_BY not in self._known:
            return "unknown"
        return f"labeltree {self._known[WRITTEN_BY].content['labeltree']}"

    def _features(self) -> str:
        if "text" not in self._known:
            named = "features" in self._known
            return _WORDS[self._known["features"].content["names"] if named else "positions"]
        text = self._known["text"].content
        words = "hashed words" if text["words"] is None else "words"
        n_embeddings = text["n_embeddings"]
        by = f" by {text['encoder']}" if text.get("encoder") else ""
        return f"{words} and embeddings of {n_embeddings:,} numbers{by}" if n_embeddings else words

    def _scaling(self) -> str:
        if ROW_SCALING not in self._known:
            return ""
        section = self._known[ROW_SCALING]
        pairs = shown_pairs(self.n_interactions, "; ")
        by_labels = ", weighted by labels" if len(section.arrays[SCALING_WEIGHTS]) else ""
        return f"{pairs}; values to the power of {section.content['power']:g}{by_labels}"

    def _tree_line(self, t: int) -> tuple[str, str]:
        tree = self.trees[t]
        shape = f"{tree['n_nodes']:,} nodes, depth {tree['depth']}"
        return f"tree {t}", f"{shape}, at most {tree['max_degree']:,} children per node"

    def _section_line(self, section: dict[str, Any]) -> str:
        kind = "required" if section["required"] else "optional"
        skipped = "" if section["name"] in self._known else "  unknown to this release, skipped"
        return f"{section['name']:<20} {kind} {format_bytes(section['n_bytes']):>8}{skipped}"


def summarize(path: Source, *, verify: bool = False) -> Summary:
    """Return what is in a model file.

    Parameters
    ----------
    path
        The model file, as in `labeltree.load`.
    verify
        Whether to compare the checksums of all arrays and to check each weight.

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
    path = local_file(path)
    contents = read_file(path, known=known_sections(), verify=verify)
    estimator = restore(path, contents, every_weight=verify)
    model = cast(Model, estimator.model_)  # as no file holds a NodeModel
    defaults = type(estimator)().get_params(deep=False)
    changed = {
        name: value
        for name, value in estimator.get_params(deep=False).items()
        if repr(value) != repr(defaults[name])  # estimators are compared by their parameters
    }
    classifier = getattr(estimator, "classifier_", estimator)
    return Summary(
        n_bytes=contents.n_bytes,
        is_verified=verify,
        n_labels=model.n_labels,
        n_features=estimator.n_features_in_,
        n_interactions=len(classifier.interactions_),
        n_bytes_of_weights=model.n_bytes,
        trees=[
            {"n_nodes": tree.n_nodes, "depth": tree.depth, "max_degree": tree.max_degree}
            for tree in estimator.trees_
        ],
        sections=_sections(contents),
        changed=changed,
        settings=classifier.settings_,
        _known=contents.sections,
    )


def _sections(contents: Contents) -> list[dict[str, Any]]:
    return [
        {
            "name": section.name,
            "required": section.required,
            "n_bytes": section.n_bytes,
            "content": section.content,
            "arrays": [
                {**entry._asdict(), "shape": list(entry.shape), "n_bytes": entry.n_bytes}
                for entry in section.arrays
            ],
        }
        for section in contents.entries
    ]


def _listed(name: str, lines: list[str]) -> list[tuple[str, str]]:
    """Return lines with the name before the first."""
    return [(name if i == 0 else "", line) for i, line in enumerate(lines)]


def _array_line(array: dict[str, Any]) -> str:
    shape = " x ".join(f"{n:,}" for n in array["shape"])
    size = format_bytes(array["n_bytes"])
    return f"{array['name']:<20} {array['dtype']} {shape:>15} {size:>8}  {array['checksum']}"
