"""All metrics of one set of predictions at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from numpy.typing import ArrayLike
from scipy import sparse

from labeltree.metrics.at_k import coverage, ndcg, precision, recall
from labeltree.metrics.probabilities import ece, log_loss
from labeltree.metrics.propensity import gains, psndcg, psp
from labeltree.metrics.ranked_hits import Ranked, check_k, judge
from labeltree.metrics.sets import macro_f1, micro_f1


def evaluate(
    Y_true: object,
    ranked: Ranked,
    *,
    ks: Sequence[int] = (1, 3, 5),
    propensity: ArrayLike | None = None,
    probabilities: ArrayLike | Literal[True] | None = None,
    predicted: object = None,
) -> dict[str, float]:
    """Return every metric that the given predictions allow, by its usual name.

    Parameters
    ----------
    Y_true, ranked
        As in `precision_at_k`.
    ks
        How many labels of a row are judged, for each of the metrics "at k".
    propensity
        Propensity of each label, from `propensities`; adds PSP@k and PSnDCG@k.
    probabilities
        Probabilities in the shape of ranked; or True where ranked is a CSR matrix of them. Adds
        ECE@k, and for a CSR matrix log_loss.
    predicted
        Predicted label sets, in any form that `labeltree.data.as_labels` takes; adds micro_F1 and
        macro_F1.

    Examples
    --------
    >>> result = evaluate([[0, 2], [1]], [[2, 1], [3, 0]], ks=(1, 2))
    >>> result["P@1"], result["R@2"], sorted(result)[:3]
    (0.5, 0.25, ['P@1', 'P@2', 'R@1'])
    """
    if not ks:
        raise ValueError("ks names at least one k, but is empty")
    for k in ks:
        check_k(k)
    if probabilities is True and not sparse.issparse(ranked):
        raise ValueError("probabilities=True needs CSR ranked; pass an array of its shape")
    beside = None if probabilities is True else probabilities
    judged = judge(Y_true, ranked, max(ks), probabilities=beside)
    result: dict[str, float] = {}
    for name, metric in (("P", precision), ("R", recall), ("nDCG", ndcg), ("coverage", coverage)):
        result |= {f"{name}@{k}": metric(judged, k) for k in ks}
    if propensity is not None:
        scored = gains(judged, propensity)
        result |= {f"PSP@{k}": psp(scored, k) for k in ks}
        result |= {f"PSnDCG@{k}": psndcg(scored, k) for k in ks}
    if probabilities is not None:
        result |= {f"ECE@{k}": ece(judged, k) for k in ks}
    if probabilities is True:
        result["log_loss"] = log_loss(judged.truth, ranked)  # type: ignore[arg-type]
    if predicted is not None:
        result["micro_F1"] = micro_f1(judged.truth, predicted)
        result["macro_F1"] = macro_f1(judged.truth, predicted)
    return result
