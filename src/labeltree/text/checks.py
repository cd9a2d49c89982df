"""Validation of texts and tags."""

from __future__ import annotations

from typing import Any

from labeltree.arguments import check_kind
from labeltree.data.tables import is_table, table_lists


def checked_texts(texts: Any) -> list[str] | None:
    """Return texts as a list of strings; those of a table are its column "text"."""
    if texts is None:
        return None
    if is_table(texts):
        return table_lists(texts, with_labels=False)[0]
    if isinstance(texts, str | bytes):
        raise TypeError("texts must be a list of strings, but is one string; put it into a list")
    check_kind("texts", texts, "Iterable[str]")
    listed: list[Any] = _listed(texts)
    for i, text in enumerate(listed):
        if not isinstance(text, str):
            raise TypeError(f"text {i} must be a string, but is {type(text).__name__}")
    return listed


def check_alone(**others: Any) -> None:
    """Raise ValueError if anything is given beside shards, which have texts and tags."""
    for name, value in others.items():
        if value is not None:
            raise ValueError(f"{name} must be None for shards, which have texts and tags only")


def checked_pairs(texts: Any, tags: Any, embeddings: Any) -> tuple[list[str] | None, Any]:
    """Return texts as a list of strings, and their tags, of which there is the same number.

    If no tags are given, those of a table are in its column "tags", "labels" and so on.
    """
    listed: list[str] | None
    if tags is None and is_table(texts):
        listed, tags = table_lists(texts, with_labels=True)
    else:
        listed = checked_texts(texts)
        tags = _listed(tags) if hasattr(tags, "__arrow_c_stream__") else tags
    _check_numbers(listed, tags, embeddings)
    return listed, tags


def _listed(column: Any) -> list[Any]:
    """Return the values of a list or column; those of pyarrow are otherwise objects of its own."""
    for name in ("to_pylist", "to_list"):
        if hasattr(column, name):
            return list(getattr(column, name)())
    return list(column)


def _check_numbers(texts: list[str] | None, tags: Any, embeddings: Any) -> None:
    """Raise an error if the numbers of texts, tags and embeddings differ."""
    if texts is None and embeddings is None:
        raise ValueError("texts or embeddings must be given, but both are None; pass one of them")
    if isinstance(tags, str | bytes) or not hasattr(tags, "__len__"):
        raise TypeError(f"tags must be a list, but is of type {type(tags).__name__}")
    n_texts = len(embeddings) if texts is None else len(texts)
    if getattr(tags, "shape", None) == ():
        raise TypeError("tags must be a list, but are an array without dimensions")
    n_tags = tags.shape[0] if hasattr(tags, "shape") else len(tags)
    if n_texts == 0:
        raise ValueError("there must be at least one text, but there is none")
    if n_texts != n_tags:
        raise ValueError(f"tags must be given for each of {n_texts} texts, but are for {n_tags}")
