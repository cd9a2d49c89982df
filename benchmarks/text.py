"""How texts should become features: ways to do it, on rows kept back from training.

    python -m benchmarks.text [--output benchmarks/results/text.json]

The texts are the docstrings on this machine, whole and their first 12 words (as short as titles).
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import labeltree as lt
from benchmarks.machine import machine
from benchmarks.markdown import fill, table
from labeltree.datasets import python_docs

PAGE = Path(__file__).parent.parent / "docs" / "text.md"
N_WORDS = 12
HELD_OUT = 0.2
WORDS = {"ngram_range": (1, 1)}
WAYS: list[tuple[str, dict[str, Any]]] = [
    ("words and pairs of 2 texts or more: default", {}),
    ("words and pairs", {"min_df": 1}),
    ("words", {**WORDS, "min_df": 1}),
    ("words, counted plainly", {**WORDS, "min_df": 1, "sublinear_tf": False}),
    ("words of 2 texts or more", WORDS),
    ("words, the 20,000 most frequent", {**WORDS, "max_features": 20_000}),
    ("words, pairs and triples of 2 texts or more", {"ngram_range": (1, 3)}),
    ("2 to 4 characters", {"analyzer": "char_wb", "ngram_range": (2, 4)}),
    ("words hashed to 2¹⁶", {**WORDS, "n_features": 2**16}),
    ("words and pairs hashed to 2²⁰", {"n_features": 2**20}),
]


def measure(texts: list[str], tags: list[list[str]], options: dict[str, Any]) -> dict[str, Any]:
    """Return accuracy, time and size of one way."""
    order = np.random.default_rng(0).permutation(len(texts))
    n_kept = int(HELD_OUT * len(texts))
    held, rest = order[:n_kept].tolist(), order[n_kept:].tolist()
    start = time.process_time()
    tagger = lt.TextTagger(n_jobs=1, **options).fit(
        [texts[i] for i in rest], [tags[i] for i in rest]
    )
    seconds = time.process_time() - start
    found = tagger.evaluate([texts[i] for i in held], [tags[i] for i in held])
    with tempfile.TemporaryDirectory() as folder:
        tagger.save(f"{folder}/model.lt")
        n_bytes = Path(folder, "model.lt").stat().st_size
    figures = {name: round(found[name], 4) for name in ("P@1", "P@3", "P@5", "nDCG@5", "ECE@5")}
    n_features = tagger.n_features_in_
    return {**figures, "cpu_s": round(seconds, 2), "mb": n_bytes / 1e6, "n_features": n_features}


def write_page(results: dict[str, Any]) -> None:
    """Write the tables of the page."""
    made = []
    for name, ways in results["sets"].items():
        rows = [
            [
                way,
                " / ".join(f"{100 * at[f'P@{k}']:.1f}" for k in (1, 3, 5)),
                f"{at['cpu_s']:.1f}",
                f"{at['mb']:.1f}",
                f"{at['n_features']:,}",
            ]
            for way, at in ways.items()
        ]
        made.append(f"**{name}**\n")
        made.append(table(["", "P@1 / 3 / 5", "fit, CPU s", "model, MB", "features"], rows) + "\n")
    where = results["machine"]
    made.append(f"Commit {where['commit']}, {where['processor']}, one thread, seed 0.")
    PAGE.write_text(fill(PAGE.read_text(), "ways", "\n".join(made)))


def main() -> None:
    """Measure all ways, or only write the page again."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", default="benchmarks/results/text.json")
    parser.add_argument("--page-only", action="store_true", help="do not measure again")
    arguments = parser.parse_args()
    if not arguments.page_only:
        data = python_docs()
        short = [" ".join(text.split()[:N_WORDS]) for text in data.texts]
        size = f"{len(data.texts):,} texts, {len(data.tag_names):,} tags"
        sets = {f"docstrings: {size}": data.texts, f"their first {N_WORDS} words": short}
        results: dict[str, Any] = {"machine": machine(), "sets": {}}
        for name, texts in sets.items():
            results["sets"][name] = {}
            for way, options in WAYS:
                figures = measure(texts, data.tags, options)
                results["sets"][name][way] = figures
                print(name, way, figures, flush=True)
        Path(arguments.output).write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n")
    if PAGE.exists():
        write_page(json.loads(Path(arguments.output).read_text()))


if __name__ == "__main__":
    main()
