"""Scores of your own function for the most probable tags, and probabilities learned from them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import expit

from labeltree.arguments import MAX_NUMBER, check_integer, checked, shown
from labeltree.calibration.methods import BEST, curve_of
from labeltree.data import targets
from labeltree.estimators.label_subsets import Subset
from labeltree.estimators.output import padded_table
from labeltree.metrics.ranked_hits import is_true
from labeltree.model.curve import Curve, keep_entries, log_odds
from labeltree.text.checks import checked_pairs

if TYPE_CHECKING:
    from labeltree.text.tagger import TextTagger

#: What a function gets: for each text, its most probable tags with their probabilities.
Candidates = list[list[tuple[Any, float]]]


class Rescorer:
    """Ranks the most probable tags of a text again, by the scores of your own function.

    The function may ask a cross-encoder, a language model or a database. It is called once for all
    texts of a call. After `fit`, tags have probabilities; before, they have the scores.

    Parameters
    ----------
    function
        Function of a list of texts and a list of candidates for each text, ``(tag, probability)``
        pairs as `TextTagger.tag` returns them. It returns one list of scores per text, one score
        per candidate, of any scale.
    n_candidates
        Number of most probable tags that are scored per text.

    Attributes
    ----------
    coef_ : weights of the score and of the log-odds of the tagger's probability, after `fit`
    intercept_ : number that is added to them; the sum ranks tags
    curve_ : map from the sum, as a probability, to the probability of a tag

    Examples
    --------
    >>> from labeltree import Rescorer, TextTagger
    >>> def by_name(texts, candidates):
    ...     return [[tag in text for tag, _ in row] for text, row in zip(texts, candidates)]
    >>> tagger = TextTagger().fit(["hot tea", "rye bread", "jam"], [["tea"], ["bread"], ["jam"]])
    >>> tagger.tag(["tea", "jam"], k=1, rescorer=Rescorer(by_name))
    [[('tea', 1.0)], [('jam', 1.0)]]
    """

    coef_: NDArray[np.float64]
    intercept_: float
    curve_: Curve | None = None

    def __init__(
        self, function: Callable[[list[str], Candidates], Any], n_candidates: int = 20
    ) -> None:
        if not callable(function):
            raise TypeError(
                f"function must be a function of texts and candidates, but is {shown(function)}"
            )
        check_integer("n_candidates", n_candidates, minimum=1)
        self.function = function
        self.n_candidates = n_candidates

    @checked
    def fit(
        self, tagger: TextTagger, texts: Any, tags: Any = None, *, embeddings: Any = None
    ) -> Self:
        """Learn how probable a tag is, from its score and the probability that the tagger gives it.

        A logistic regression decides how much each of the two counts, and a curve of the best tags
        of each text calibrates the result. Both hold for this tagger only.

        Parameters
        ----------
        tagger
            A fitted `TextTagger`.
        texts, tags, embeddings
            As in `TextTagger.fit`, of texts that were not used there; some hundreds are enough.
        """
        listed, tags = checked_pairs(texts, tags, embeddings)
        found = self._scored(tagger, listed, embeddings)
        truth = targets.true_labels(tags, tagger.classes_, tagger.label_kind_)
        hits = is_true(truth, found.starts, found.labels)
        if hits.all() or not hits.any():
            raise ValueError(
                "texts must have right and wrong candidates to learn from, but all are "
                f"{'right' if hits.any() else 'wrong'}; pass more texts"
            )
        coef, intercept = _fit_odds(found.columns(), hits)
        best = found.best(found.columns() @ coef + intercept, BEST, truth.n_labels)
        best.data = expit(best.data)
        curve = curve_of(best, truth, "auto")
        self.coef_, self.intercept_, self.curve_ = coef, intercept, curve
        return self

    def _ranked(
        self,
        tagger: TextTagger,
        texts: list[str] | None,
        embeddings: Any,
        k: int | None,
        subset: Subset | None = None,
    ) -> sparse.csr_array[Any, Any]:
        """Return labels of each text with their probabilities or scores, best first."""
        if k is not None and k > self.n_candidates:
            raise ValueError(
                f"k must be at most the n_candidates of the rescorer, {self.n_candidates}, but is "
                f"{k}"
            )
        found, n_labels = self._scored(tagger, texts, embeddings, subset), len(tagger.classes_)
        if self.curve_ is None:
            return found.best(found.scores, k, n_labels)
        best = found.best(found.columns() @ self.coef_ + self.intercept_, k, n_labels)
        best.data = self.curve_(expit(best.data))
        return best

    def _tag(
        self,
        tagger: TextTagger,
        texts: list[str] | None,
        embeddings: Any,
        k: int | None,
        threshold: float | None,
        subset: Subset | None,
    ) -> Candidates:
        """Return tags of each text with their probabilities or scores, best first."""
        if threshold is not None and self.curve_ is None:
            raise ValueError(
                "threshold must be None, because the rescorer has scores instead of probabilities; "
                "fit it first"
            )
        found = self._ranked(tagger, texts, embeddings, k, subset)
        if threshold is not None:
            found = keep_entries(found, found.data >= np.float32(threshold))
        return _pairs(tagger, found.indices, found.data, found.indptr)

    def _top_k(
        self, tagger: TextTagger, texts: list[str] | None, embeddings: Any, k: int
    ) -> tuple[NDArray[np.int64], NDArray[np.float32] | None]:
        """Return tables of k labels, padded with -1, and of probabilities if they are known."""
        labels, values = padded_table(self._ranked(tagger, texts, embeddings, k), k)
        return labels, None if self.curve_ is None else values

    def _scored(
        self,
        tagger: TextTagger,
        texts: list[str] | None,
        embeddings: Any,
        subset: Subset | None = None,
    ) -> _Scored:
        if texts is None:
            raise ValueError("texts must be given for a rescorer, but are None")
        n_candidates = min(self.n_candidates, len(tagger.classes_))
        chosen, left_out = (None, None) if subset is None else subset
        labels, probabilities = tagger.top_k(
            texts, n_candidates, labels=chosen, exclude_labels=left_out, embeddings=embeddings
        )
        known = labels >= 0
        starts = np.append(0, np.cumsum(known.sum(axis=1)))
        candidates = _pairs(tagger, labels[known], probabilities[known], starts)
        # A list of its own for the function, which may change it.
        scores = _checked_scores(self.function(list(texts), candidates), np.diff(starts))
        return _Scored(labels[known], probabilities[known], scores, starts)


@dataclass(frozen=True)
class _Scored:
    """The candidates of all texts, one after the other."""

    labels: NDArray[np.int64]
    probabilities: NDArray[np.float32]
    scores: NDArray[np.float64]
    starts: NDArray[np.int64]  # where the candidates of each text start, and their number

    def columns(self) -> NDArray[np.float64]:
        """Return what odds are learned from, one row per candidate."""
        return np.column_stack([self.scores, log_odds(self.probabilities)])

    def best(
        self, values: NDArray[np.float64], k: int | None, n_labels: int
    ) -> sparse.csr_array[Any, Any]:
        """Return the k candidates of each text with the largest values, in decreasing order."""
        sizes = np.diff(self.starts)
        rows = np.repeat(np.arange(len(sizes)), sizes)
        order = np.lexsort((-values, rows))  # stable, so ties keep the order of the tagger
        rank = np.arange(len(rows)) - np.repeat(self.starts[:-1], sizes)
        order = order if k is None else order[rank < k]
        starts = np.append(0, np.cumsum(sizes if k is None else np.minimum(sizes, k)))
        arrays = (values[order], self.labels[order], starts)
        return sparse.csr_array(arrays, shape=(len(sizes), n_labels))


def _fit_odds(
    columns: NDArray[np.float64], hits: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], float]:
    """Return coefficients and intercept of the log-odds that a candidate is right."""
    from sklearn.linear_model import LogisticRegression  # slow to import

    means, spreads = columns.mean(axis=0), columns.std(axis=0)
    spreads[spreads == 0] = 1
    model = LogisticRegression().fit((columns - means) / spreads, hits)
    coef = model.coef_[0] / spreads
    return coef, float(model.intercept_[0] - means @ coef)


def _pairs(
    tagger: TextTagger,
    labels: NDArray[np.integer],
    values: NDArray[np.floating],
    starts: NDArray[np.integer],
) -> Candidates:
    pairs = list(zip(tagger.classes_[labels].tolist(), values.tolist(), strict=True))
    return [pairs[first:last] for first, last in pairwise(starts.tolist())]


def _checked_scores(found: Any, sizes: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the scores of all candidates in one array.

    Examples
    --------
    >>> _checked_scores([[3, 1], [2]], np.array([2, 1]))
    array([3., 1., 2.])
    """
    if hasattr(found, "detach"):  # a tensor, perhaps on a GPU
        found = found.detach().float().cpu().numpy()
    if not hasattr(found, "__len__") or len(found) != len(sizes):
        what = f"{len(found)}" if hasattr(found, "__len__") else shown(found)
        raise ValueError(
            f"function must return one list of scores for each of {len(sizes)} texts, but returned "
            f"{what}"
        )
    rows = [_row(i, row, size) for i, (row, size) in enumerate(zip(found, sizes, strict=True))]
    return np.concatenate([np.empty(0), *rows])


def _row(i: int, row: Sequence[float], size: int) -> NDArray[np.float64]:
    try:
        scores = np.asarray(row, dtype=np.float64)
    except (TypeError, ValueError):
        raise TypeError(f"scores of text {i} must be numbers, but are {shown(row)}") from None
    if scores.shape != (size,):
        raise ValueError(
            f"function must return one score for each of {size} candidates, but returned an array "
            f"of shape {scores.shape} for text {i}"
        )
    bad = ~(np.abs(scores) <= MAX_NUMBER)
    if bad.any():
        raise ValueError(
            f"scores must be numbers of at most {MAX_NUMBER:g}, but that of candidate "
            f"{bad.argmax()} of text {i} is {scores[bad][0]}"
        )
    return scores
