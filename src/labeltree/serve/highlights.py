"""Which characters of a text speak for or against a label."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

from labeltree.explain.explanation import Explanation
from labeltree.serve.messages import Highlight
from labeltree.text.features import TextFeatures

_WORD = re.compile(r"\w+")
_N_WORDS = 2_000  # that are looked at, from the start of the text


def highlights(features: TextFeatures, text: str, why: Explanation) -> list[Highlight]:
    """Return the words of a text whose features contribute to the label, in their order.

    A feature of several words, such as a bigram or a pair of words, counts for each of them.
    """
    contributions = total_contributions(why)
    words = [match.span() for match, _ in zip(_WORD.finditer(text), range(_N_WORDS), strict=False)]
    columns = _Columns(features, text)
    sums = [0.0] * len(words)
    for i, (start, end) in enumerate(words):
        sums[i] += _sum(contributions, columns.of(start, end))
    max_n = features.options.ngram_range[1] if features.options.analyzer == "word" else 1
    for n in range(2, max_n + 1):
        for i in range(len(words) - n + 1):
            whole = columns.of(words[i][0], words[i + n - 1][1])
            parts = columns.of(words[i][0], words[i + n - 2][1])
            parts = parts | columns.of(words[i + 1][0], words[i + n - 1][1])
            joint = _sum(contributions, whole - parts)
            for j in range(i, i + n):
                sums[j] += joint
    return [
        Highlight(start, end, total)
        for (start, end), total in zip(words, sums, strict=True)
        if total
    ]


def total_contributions(why: Explanation) -> dict[int, float]:
    """Return what each feature adds to the log-odds of nodes, over the path, mean of trees."""
    totals: Counter[int] = Counter()
    for path in why.paths:
        for step in path.steps:
            if step.evidence is not None:
                for entry in step.evidence.contributions:
                    for column in {entry.feature, entry.partner} - {None}:
                        totals[column] += entry.contribution  # type: ignore[index,assignment]
    return {feature: total / len(why.paths) for feature, total in totals.items()}


def _sum(contributions: Mapping[int, float], columns: frozenset[int]) -> float:
    return sum(contributions.get(column, 0.0) for column in columns)


class _Columns:
    """Columns of the features of parts of a text; equal parts are analyzed once."""

    def __init__(self, features: TextFeatures, text: str) -> None:
        self._features, self._text = features, text
        self._known: dict[str, frozenset[int]] = {}

    def of(self, start: int, end: int) -> frozenset[int]:
        part = self._text[start:end]
        if part not in self._known:
            self._known[part] = frozenset(self._features.row(part)[0].tolist())
        return self._known[part]
