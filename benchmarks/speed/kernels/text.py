"""How fast texts are tagged and explained: one text, a hundred, and one explanation."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import labeltree as lt

N_TEXTS, N_WORDS, N_TAGS = 5000, 20_000, 1000
LENGTH = 30  # words per text, about 200 characters


def generate(seed: int) -> tuple[list[str], list[list[str]]]:
    """Return texts whose words depend on their tags."""
    rng = np.random.default_rng(seed)
    tags = rng.integers(N_TAGS, size=(N_TEXTS, 3))
    common = np.minimum(rng.zipf(1.3, size=(N_TEXTS, LENGTH // 2)), N_WORDS - 1)
    special = (tags[:, rng.integers(3, size=LENGTH // 2)] * 20 + rng.integers(20)) % N_WORDS
    words = np.concatenate([common, special], axis=1)
    texts = [" ".join(f"word{w}" for w in row) for row in words.tolist()]
    return texts, [[f"tag {t}" for t in set(row)] for row in tags.tolist()]


def _cpu_seconds(call: Callable[[], Any], n: int, repeats: int) -> float:
    """Return the CPU seconds of a call, the fastest of several rounds."""
    rounds = []
    for _ in range(repeats):
        start = time.process_time()
        for _ in range(n):
            call()
        rounds.append((time.process_time() - start) / n)
    return min(rounds)


def measure(*, repeats: int = 7, seed: int = 0) -> dict[str, Any]:
    """CPU time of a model from a file, after checking that one text is tagged as in a batch."""
    texts, tags = generate(seed)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.lt"
        lt.TextTagger(n_jobs=1, random_state=seed).fit(texts, tags).save(path)
        tagger = lt.load(path)
        tagger.classifier_.n_jobs = 1
        few = texts[:100]
        assert [tagger.tag([text])[0] for text in few] == tagger.tag(few)
        one = _cpu_seconds(lambda: tagger.tag(few[:1]), 200, repeats)
        hundred = _cpu_seconds(lambda: tagger.tag(few), 5, repeats)
        why = _cpu_seconds(lambda: tagger.explain(few[0]), 20, repeats)
    return {
        "name": "text",
        "threads": 1,
        "seed": seed,
        "n_labels": N_TAGS,
        "characters": round(float(np.mean([len(text) for text in few]))),
        "tag_one_us": round(1e6 * one, 1),
        "tag_100_ms": round(1e3 * hundred, 2),
        "explain_ms": round(1e3 * why, 2),
    }
