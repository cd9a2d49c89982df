"""Validation of texts and tags."""

from __future__ import annotations

from typing import Any

from labeltree.arguments import check_kind


def checked_texts(texts: Any) -> list[str] | None:
    """Return texts as a list of strings."""
    if texts is None:
        return None
    if isinstance(texts, str | bytes):
        raise TypeError("texts must be a list of strings, but is one string; put it into a list")
    check_kind("texts", texts, "Iterable[str]")
    listed = list(texts)
    for i, text in enumerate(listed):
        if not isinstance(text, str):
            raise TypeError(f"text {i} must be a string, but is {type(text).__name__}")
    return listed


def check_numbers(texts: list[str] | None, tags: Any, embeddings: Any) -> None:
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
