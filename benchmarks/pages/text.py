"""Comparison of text features on rows held out from training.

The texts are the docstrings of the installed packages, whole and their first 12 words (as short as
titles).
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import labeltree as lt
from benchmarks.markdown import at_ranks, table
from benchmarks.pages.places import Place, Record, Table, Values, measured_on
from benchmarks.rows import RANKS, cpu_timed, shuffled_split
from labeltree.datasets import python_docs

N_WORDS = 12
HELD_OUT = 0.2
WORDS = {"ngram_range": (1, 1)}
PAIRS, ALONE = "words and pairs of 2 texts or more: default", "words of 2 texts or more"
WAYS: dict[str, dict[str, Any]] = {
    PAIRS: {},
    "words and pairs": {"min_df": 1},
    "words": {**WORDS, "min_df": 1},
    "words, counted plainly": {**WORDS, "min_df": 1, "sublinear_tf": False},
    ALONE: WORDS,
    "words, the 20,000 most frequent": {**WORDS, "max_features": 20_000},
    "words, pairs and triples of 2 texts or more": {"ngram_range": (1, 3)},
    "2 to 4 characters": {"analyzer": "char_wb", "ngram_range": (2, 4)},
    "words hashed to 2¹⁶": {**WORDS, "n_features": 2**16},
    "words and pairs hashed to 2²⁰": {"n_features": 2**20},
}


MINUTES = 1.8
MINUTES_FROM = "CPU times in results"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add no options."""


def measure(asked: argparse.Namespace) -> Iterator[Record]:
    """Yield the figures of all text features on long and on short texts."""
    docs = python_docs()
    short = [" ".join(text.split()[:N_WORDS]) for text in docs.texts]
    size = f"{len(docs.texts):,} texts, {len(docs.tag_names):,} tags"
    for name, texts in {"docstrings": docs.texts, f"their first {N_WORDS} words": short}.items():
        ways = {way: figures(texts, docs.tags, options) for way, options in WAYS.items()}
        yield {"data": name, "size": size, "ways": ways}


def figures(texts: list[str], tags: list[list[str]], options: dict[str, Any]) -> dict[str, Any]:
    """Return accuracy, time and size of one kind of text features."""
    held, rest = shuffled_split(len(texts), int(HELD_OUT * len(texts)))
    untrained = lt.TextTagger(n_jobs=1, **options)
    seconds, tagger = cpu_timed(
        lambda: untrained.fit([texts[i] for i in rest], [tags[i] for i in rest])
    )
    found = tagger.evaluate([texts[i] for i in held], [tags[i] for i in held])
    with tempfile.TemporaryDirectory() as folder:
        tagger.save(f"{folder}/model.lt")
        n_bytes = Path(folder, "model.lt").stat().st_size
    quality = {name: round(found[name], 4) for name in ("P@1", "P@3", "P@5", "nDCG@5", "ECE@5")}
    n_features = tagger.n_features_in_
    return {**quality, "cpu_s": round(seconds, 2), "mb": n_bytes / 1e6, "n_features": n_features}


def page(records: list[Record]) -> Iterator[Place]:
    """Yield a table for each kind of texts."""
    parts = []
    for record in records:
        rows = [
            [
                way,
                at_ranks([100 * at[f"P@{k}"] for k in RANKS]),
                f"{at['cpu_s']:.1f}",
                f"{at['mb']:.1f}",
                f"{at['n_features']:,}",
            ]
            for way, at in record["ways"].items()
        ]
        header = ["", "P@1 / 3 / 5", "fit, CPU s", "model, MB", "features"]
        parts.append(f"**{title(record)}**\n\n{table(header, rows)}")
    parts.append(measured_on(records, "one thread, seed 0"))
    yield Table("ways", "\n\n".join(parts))
    gains = [100 * (at[PAIRS]["P@1"] - at[ALONE]["P@1"]) for at in (one["ways"] for one in records)]
    yield Values({"text.pairs.least": f"{min(gains):.0f}", "text.pairs.most": f"{max(gains):.0f}"})


def title(record: Record) -> str:
    """Return the texts, and the size of all of them where they are named first.

    Examples
    --------
    >>> title({"data": "docstrings", "size": "90 texts, 7 tags"})
    'docstrings: 90 texts, 7 tags'
    """
    return (
        f"{record['data']}: {record['size']}" if record["data"] == "docstrings" else record["data"]
    )
