"""A small taxonomy: pairs of what stands above and below, and the labels in it."""

from __future__ import annotations

PAIRS = [
    ("animal", "pet"),
    ("pet", "cat"),
    ("pet", "dog"),
    ("dog", "poodle"),
    ("dog", "boxer"),
    ("animal", "cow"),
    ("plant", "oak"),
]
LABELS = ["boxer", "cat", "cow", "dog", "oak", "poodle"]
