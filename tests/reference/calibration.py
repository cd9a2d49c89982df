"""Links, isotonic curves and thresholds."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence


def log_loss_of_link(
    slope: float, intercept: float, scores: Sequence[float], positive: Sequence[bool]
) -> float:
    """Return the log loss of the probabilities 1 / (1 + exp(-(slope s + intercept)))."""
    loss = 0.0
    for score, is_positive in zip(scores, positive, strict=True):
        odds = slope * score + intercept
        loss += math.log1p(math.exp(-odds if is_positive else odds))
    return loss


def pool_adjacent_violators(values: Sequence[float], weights: Sequence[float]) -> list[float]:
    """Return the ascending numbers with the smallest weighted squared distance to the values."""
    blocks: list[tuple[float, float, int]] = []  # mean, weight, length
    for value, weight in zip(values, weights, strict=True):
        blocks.append((value, weight, 1))
        while len(blocks) > 1 and blocks[-2][0] >= blocks[-1][0]:
            (a, m, k), (b, n, j) = blocks[-2:]
            blocks[-2:] = [((a * m + b * n) / (m + n), m + n, k + j)]
    return [mean for mean, _, length in blocks for _ in range(length)]


def f1(truth: set[int], predicted: set[int]) -> float:
    """Return the F1 of two sets; 0 if both are empty."""
    return 2 * len(truth & predicted) / max(len(truth) + len(predicted), 1)


def expected_f1(probabilities: Sequence[float], size: int) -> float:
    """Return the expected F1 of predicting the first `size` labels if labels are independent."""
    expected = 0.0
    for present in itertools.product([False, True], repeat=len(probabilities)):
        chance = math.prod(
            p if there else 1 - p for p, there in zip(probabilities, present, strict=True)
        )
        truth = {j for j, there in enumerate(present) if there}
        expected += chance * f1(truth, set(range(size)))
    return expected


def f1_of_threshold(
    probabilities: Sequence[float], is_true: Sequence[bool], n_true: int, threshold: float
) -> float:
    """Return the F1 of the pairs of one label, or of all labels; n_true includes missing pairs."""
    predicted = [right for p, right in zip(probabilities, is_true, strict=True) if p >= threshold]
    return 2 * sum(predicted) / max(len(predicted) + n_true, 1)
