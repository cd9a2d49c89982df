"""All metrics of a set of predictions in one call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from numpy.typing import ArrayLike

from labeltree.arguments import checked
from labeltree.metrics.at_k import coverage, ndcg, precision, recall
from labeltree.metrics.probabilities import brier, ece, log_loss, ranked_log_loss
from labeltree.metrics.propensity import gains, psndcg, psp
from labeltree.metrics.ranked_hits import Ranked, check_k, is_scores, ranked_hits
from labeltree.metrics.sets import macro_f1, micro_f1


@checked
def evaluate(
    Y_true: object,
    ranked: Ranked,
    *,
    ks: Sequence[int] = (1, 3, 5),
    propensity: ArrayLike | None = None,
    probabilities: ArrayLike | Literal[True] | None = None,
    predicted: object = None,
) -> dict[str, float]:
    """Return all metrics that can be computed from the given predictions, by name.

    Parameters
    ----------
    Y_true, ranked
        As in `precision_at_k`.
    ks
        Values of k for the metrics at k.
    propensity
        Propensity of each label, from `propensities`; adds PSP@k and PSnDCG@k.
    probabilities
        Probabilities in the shape of ranked, or True if ranked holds the probabilities of all
        labels. Adds ECE@k, Brier@k and log_loss@k, and log_loss for all labels.
    predicted
        Predicted label sets, in any form that `labeltree.data.as_labels` accepts; adds micro_F1
        and macro_F1.

    Examples
    --------
    >>> result = evaluate([[0, 2], [1]], [[2, 1], [3, 0]], ks=(1, 2))
    >>> result["P@1"], result["R@2"], sorted(result)[:3]
    (0.5, 0.25, ['P@1', 'P@2', 'R@1'])
    """
    if not ks:
        raise ValueError("ks must have at least one k, but is empty")
    for k in ks:
        check_k(k)
    if probabilities is True and not is_scores(ranked):
        raise ValueError(
            "probabilities=True needs ranked as scores of all labels; pass an array in the shape "
            "of ranked"
        )
    given = None if probabilities is True else probabilities
    predictions = ranked_hits(Y_true, ranked, max(ks), probabilities=given)
    result: dict[str, float] = {}
    for name, metric in (("P", precision), ("R", recall), ("nDCG", ndcg), ("coverage", coverage)):
        result |= {f"{name}@{k}": metric(predictions, k) for k in ks}
    if propensity is not None:
        scored = gains(predictions, propensity)
        result |= {f"PSP@{k}": psp(scored, k) for k in ks}
        result |= {f"PSnDCG@{k}": psndcg(scored, k) for k in ks}
    if probabilities is not None:
        for name, metric in (("ECE", ece), ("Brier", brier), ("log_loss", ranked_log_loss)):
            result |= {f"{name}@{k}": metric(predictions, k) for k in ks}
    if probabilities is True:
        result["log_loss"] = log_loss(predictions.truth, ranked)  # type: ignore[arg-type]
    if predicted is not None:
        result["micro_F1"] = micro_f1(predictions.truth, predicted)
        result["macro_F1"] = macro_f1(predictions.truth, predicted)
    return result
