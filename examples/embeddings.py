"""Add embeddings to words: the weight of both is found on held-out texts.

The encoder here is a projection of character n-grams; any sentence encoder takes its place.

python examples/embeddings.py
"""

from __future__ import annotations

import numpy as np
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_pipeline

import labeltree as lt


class LetterEncoder:
    """Embeddings of 64 numbers from three letters in a row."""

    name = "letters"

    def __init__(self, texts: list[str]) -> None:
        counts = TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 3), max_features=5000)
        self._pipeline = make_pipeline(counts, TruncatedSVD(64, random_state=0)).fit(texts)

    def encode(self, texts: list[str]) -> np.ndarray:
        """Return one row per text."""
        return np.asarray(self._pipeline.transform(texts), np.float32)


def main() -> None:
    """Compare words with words and embeddings."""
    docs = lt.datasets.python_docs(packages=["numpy", "scipy"])
    held = np.random.default_rng(0).random(len(docs.texts)) < 0.2
    train, test = ([i for i, h in enumerate(held) if h == part] for part in (False, True))
    texts, tags = [docs.texts[i] for i in train], [docs.tags[i] for i in train]
    encoder = LetterEncoder(texts)
    for name, tagger in (
        ("words", lt.TextTagger()),
        ("words and embeddings", lt.TextTagger(encoder=encoder)),
    ):
        tagger.fit(texts, tags)
        figures = tagger.evaluate([docs.texts[i] for i in test], [docs.tags[i] for i in test])
        print(f"{name:22} P@1 {figures['P@1']:.3f}, P@3 {figures['P@3']:.3f}")


if __name__ == "__main__":
    main()
