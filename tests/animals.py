"""A small taxonomy: its (parent, child) pairs and its labels."""

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
