"""Files of labels that predictions are restricted to, or that are left out."""

from __future__ import annotations

import argparse
from collections.abc import Hashable
from typing import Any

import numpy as np

from labeltree.cli.inputs import UsageError
from labeltree.data.text import numbered_lines
from labeltree.estimators.label_subsets import Subset, as_subset


def add_subset_arguments(parser: argparse.ArgumentParser) -> None:
    """Add options that restrict predictions to some labels."""
    group = parser.add_argument_group("labels")
    group.add_argument(
        "--labels",
        metavar="FILE",
        help="predict only the labels of this file, one per line; other branches of the tree are "
        "not searched",
    )
    group.add_argument(
        "--exclude-labels",
        metavar="FILE",
        help="never predict the labels of this file, one per line; unknown labels are ignored",
    )


def read_subset(arguments: argparse.Namespace, classes: Any) -> Subset | None:
    """Return the labels that the options leave; None for all."""
    labels = _read(arguments.labels, classes)
    unknown = [] if labels is None else sorted(set(labels) - set(classes.tolist()), key=str)
    if unknown:
        raise UsageError(
            f"--labels must have labels of the model, but {unknown[0]!r} of {arguments.labels} is "
            "not one"
        )
    return as_subset(labels, _read(arguments.exclude_labels, classes))


def _read(path: str | None, classes: Any) -> list[Hashable] | None:
    if path is None:
        return None
    lines = ((where, line.strip()) for where, line in numbered_lines(path))
    if np.asarray(classes).dtype.kind not in "iu":
        return [line for _, line in lines if line]
    return [_integer(where, line) for where, line in lines if line]


def _integer(where: str, line: str) -> int:
    try:
        return int(line)
    except ValueError:
        raise UsageError(f"{where}: a label must be an integer, but is {line!r:.40}") from None
