"""The methods of a tagger that scikit-learn's scorers, searches and pipelines call."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from labeltree.arguments import checked
from labeltree.estimators import PLTClassifier
from labeltree.estimators.output import Probabilities
from labeltree.text.checks import checked_pairs


class ScoringMixin:
    """Probabilities and scores of texts, in the form of those of `PLTClassifier`."""

    @property
    def classifier_(self) -> PLTClassifier:
        raise NotImplementedError

    def _transform(self, texts: Any, embeddings: Any) -> Any:
        raise NotImplementedError

    @checked
    def predict(
        self,
        texts: Any,
        threshold: float | None = None,
        *,
        labels: Sequence[Hashable] | None = None,
        exclude_labels: Sequence[Hashable] | None = None,
        embeddings: Any = None,
    ) -> list[Any]:
        """Return the predicted tags of each text; see `PLTClassifier.predict`."""
        X = self._transform(texts, embeddings)
        subset: dict[str, Any] = {"labels": labels, "exclude_labels": exclude_labels}
        if self.classifier_.label_kind_ == "classes":
            found = self.classifier_.predict(X, **subset)
            assert isinstance(found, np.ndarray)
            return list(found.tolist())
        return self.classifier_.predict_labels(X, threshold, **subset)

    @overload
    def predict_proba(
        self,
        texts: Any,
        k: int,
        threshold: float | None = None,
        *,
        labels: Sequence[Hashable] | None = None,
        exclude_labels: Sequence[Hashable] | None = None,
        embeddings: Any = None,
    ) -> Probabilities: ...
    @overload
    def predict_proba(
        self,
        texts: Any,
        k: None = None,
        *,
        threshold: float,
        labels: Sequence[Hashable] | None = None,
        exclude_labels: Sequence[Hashable] | None = None,
        embeddings: Any = None,
    ) -> Probabilities: ...
    @overload
    def predict_proba(
        self,
        texts: Any,
        k: int | None = None,
        threshold: float | None = None,
        *,
        labels: Sequence[Hashable] | None = None,
        exclude_labels: Sequence[Hashable] | None = None,
        embeddings: Any = None,
    ) -> NDArray[np.float32] | Probabilities: ...
    @checked
    def predict_proba(
        self,
        texts: Any,
        k: int | None = None,
        threshold: float | None = None,
        *,
        labels: Sequence[Hashable] | None = None,
        exclude_labels: Sequence[Hashable] | None = None,
        embeddings: Any = None,
    ) -> NDArray[np.float32] | Probabilities:
        """Return the probabilities of tags, one column per tag; see `PLTClassifier.predict_proba`.

        Examples
        --------
        >>> from labeltree import TextTagger
        >>> tagger = TextTagger().fit(["green tea", "rye bread"], [["tea"], ["bread"]])
        >>> tagger.predict_proba(["tea", "bread", ""]).shape
        (3, 2)
        """
        X = self._transform(texts, embeddings)
        return self.classifier_.predict_proba(
            X, k, threshold, labels=labels, exclude_labels=exclude_labels
        )

    @checked
    def top_k(
        self,
        texts: Any,
        k: int = 5,
        *,
        labels: Sequence[Hashable] | None = None,
        exclude_labels: Sequence[Hashable] | None = None,
        weights: Any = None,
        beam: int | None = None,
        embeddings: Any = None,
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Return the positions in `classes_` of the k most probable tags, and their probabilities.

        See `PLTClassifier.top_k`. `tag` returns tags by name.

        Examples
        --------
        >>> from labeltree import TextTagger
        >>> tagger = TextTagger().fit(["green tea", "rye bread"], [["tea"], ["bread"]])
        >>> tagger.classes_[tagger.top_k(["a cup of tea"], 1)[0]].tolist()
        [['tea']]
        """
        X = self._transform(texts, embeddings)
        return self.classifier_.top_k(
            X, k, labels=labels, exclude_labels=exclude_labels, weights=weights, beam=beam
        )

    def score(
        self, texts: Any, tags: Any = None, sample_weight: Any = None, *, embeddings: Any = None
    ) -> float:
        """Return the share of texts whose tag, or whose whole set of tags, is correct.

        `labeltree.metrics.precision_scorer` is a less strict score for searches.

        Examples
        --------
        >>> from labeltree import TextTagger
        >>> tagger = TextTagger().fit(["green tea", "rye bread"], [["tea"], ["bread"]])
        >>> tagger.score(["black tea", "white bread"], [["tea"], ["tea"]])
        0.5
        """
        listed, tags = checked_pairs(texts, tags, embeddings)
        return self.classifier_.score(self._transform(listed, embeddings), tags, sample_weight)
