"""Suggest subjects for records, with probabilities to review the uncertain ones.

The records are docstrings of installed packages, and their subjects the modules that they are in.

python examples/library_records.py
"""

from __future__ import annotations

import numpy as np

import labeltree as lt

REVIEWED = 0.5  # subjects below this probability go to a person


def main() -> None:
    """Train on most records, and count what a librarian would have to look at."""
    docs = lt.datasets.python_docs(packages=["numpy", "scipy", "sklearn"])
    held = np.random.default_rng(0).random(len(docs.texts)) < 0.2
    train, test = ([i for i, h in enumerate(held) if h == part] for part in (False, True))
    tagger = lt.TextTagger(effort="high")
    tagger.fit([docs.texts[i] for i in train], [docs.tags[i] for i in train])

    texts, truth = [docs.texts[i] for i in test], [docs.tags[i] for i in test]
    figures = tagger.evaluate(texts, truth)
    print(f"P@1 {figures['P@1']:.3f}, P@3 {figures['P@3']:.3f}, ECE@5 {figures['ECE@5']:.3f}")
    suggested = [tag for tags in tagger.tag(texts, k=5, threshold=0.1) for tag in tags]
    sure = [p for _, p in suggested if p >= REVIEWED]
    print(f"{len(suggested)} suggestions, of which {len(sure)} need no review")
    print(f"expected share of these that is right: {np.mean(sure):.3f}")


if __name__ == "__main__":
    main()
