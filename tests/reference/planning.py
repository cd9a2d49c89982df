"""The size of a model."""

from __future__ import annotations

from collections.abc import Sequence

from tests.reference.trees import Nested, labels_under, subtrees


def n_weights(tree: Nested, rows: Sequence[set[int]], features: Sequence[set[int]]) -> int:
    """Return the number of weights: one per node and feature of the rows that train the node."""

    def features_of_rows_of(node: Nested) -> set[int]:
        pairs = zip(rows, features, strict=True)
        return set().union(*(own for labels, own in pairs if labels_under(node) & labels))

    root = len(set().union(*features))
    inner = [node for node in subtrees(tree) if isinstance(node, list)]
    return root + sum(len(node) * len(features_of_rows_of(node)) for node in inner)
