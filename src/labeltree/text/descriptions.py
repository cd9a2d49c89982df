"""Descriptions of tags as training texts of small weight."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from labeltree.arguments import check_kind
from labeltree.data import as_labels

DESCRIPTION_WEIGHT = 0.1
_ALONE = 10.0  # factor of the weight if a description is the only text of its tag


class DescribedTexts(NamedTuple):
    """Training texts and their tags, followed by the descriptions and theirs."""

    texts: list[str] | None
    tags: Any
    weight: NDArray[np.float64] | None = None  # of each text; None for 1
    n_descriptions: int = 0


def with_descriptions(
    texts: list[str] | None,
    tags: Any,
    embeddings: Any,
    descriptions: Mapping[Any, str] | None,
    weight: float,
) -> DescribedTexts:
    """Return texts and descriptions; a description is a text with a single tag.

    Parameters
    ----------
    texts, tags, embeddings
        As in `TextTagger.fit`, checked.
    descriptions
        A text for each tag; None for none.
    weight
        Weight of a description whose tag has texts. The weight of the others is ten times this.

    Examples
    --------
    >>> descriptions = {"bread": "food", "jam": "fruit"}
    >>> found = with_descriptions(["rye"], [["bread"]], None, descriptions, 0.5)
    >>> found.texts, found.tags, found.weight.tolist()
    (['rye', 'food', 'fruit'], [['bread'], ['bread'], ['jam']], [1.0, 0.5, 5.0])
    """
    _check_weight(weight)
    if not _checked_descriptions(descriptions):
        return DescribedTexts(texts, tags)
    assert descriptions is not None
    if texts is None or embeddings is not None:
        raise ValueError(
            "descriptions require embeddings of their own, but embeddings are those of the texts; "
            "set encoder instead, or append the descriptions to texts, tags and embeddings"
        )
    rows = as_labels(tags)
    if rows.kind == "indicator":
        raise TypeError(
            "descriptions require tags by name, but tags are an indicator; pass a list of tags "
            "per text"
        )
    used = set(range(rows.n_labels) if rows.names is None else rows.names.tolist())
    own = [weight if tag in used else _ALONE * weight for tag in descriptions]
    more = [[tag] for tag in descriptions] if rows.kind == "sets" else list(descriptions)
    return DescribedTexts(
        [*texts, *descriptions.values()],
        [*tags, *more],
        np.concatenate([np.ones(len(texts)), own]),
        len(own),
    )


def _check_weight(weight: Any) -> None:
    check_kind("description_weight", weight, "float")
    if not 0 < weight < np.inf:
        raise ValueError(f"description_weight must be above 0 and finite, but is {weight}")


def _checked_descriptions(descriptions: Any) -> bool:
    """Return whether there are descriptions; raise an error if they are not texts by tag."""
    if descriptions is None:
        return False
    check_kind("descriptions", descriptions, "Mapping")
    for tag, text in descriptions.items():
        if not isinstance(text, str):
            raise TypeError(
                f"the description of tag {tag!r:.40} must be a string, but is {type(text).__name__}"
            )
    return len(descriptions) > 0
