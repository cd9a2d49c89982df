"""Texts and tags as users give them."""

from __future__ import annotations

from typing import Any


def checked_texts(texts: Any) -> list[str] | None:
    """Return texts as a list of strings."""
    if texts is None:
        return None
    if isinstance(texts, str | bytes):
        raise TypeError("texts must be a list of texts, but is one text; put it into a list")
    listed = list(texts)
    for i, text in enumerate(listed):
        if not isinstance(text, str):
            raise TypeError(f"text {i} must be a string, but is {type(text).__name__}")
    return listed


def check_numbers(texts: list[str] | None, tags: Any, embeddings: Any) -> None:
    """Refuse texts, tags and embeddings of different numbers."""
    if texts is None and embeddings is None:
        raise ValueError("there are neither texts nor embeddings; give one of them")
    if isinstance(tags, str | bytes) or not hasattr(tags, "__len__"):
        raise TypeError(f"tags must be a list, but is a {type(tags).__name__}")
    n_texts = len(embeddings) if texts is None else len(texts)
    n_tags = tags.shape[0] if hasattr(tags, "shape") else len(tags)
    if n_texts == 0:
        raise ValueError("there must be at least one text, but there is none")
    if n_texts != n_tags:
        raise ValueError(f"there are {n_texts} texts, but tags of {n_tags}")
