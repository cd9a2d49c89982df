"""Online methods of the tagger."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple, Self

from sklearn.base import clone

from labeltree.arguments import checked
from labeltree.data.features import FeatureMatrix
from labeltree.estimators import PLTClassifier
from labeltree.estimators.learning_lock import OneLearner, one_at_a_time
from labeltree.online import TreeCost
from labeltree.text.checks import checked_pairs
from labeltree.text.features import TextFeatures

Tags = list[tuple[Any, float]]


class TaggerState(NamedTuple):
    """The fitted state of a tagger: text features, and the classifier trained on them."""

    features: TextFeatures
    classifier: PLTClassifier


class OnlineTaggerMixin(OneLearner):
    """`partial_fit` and related methods, for texts."""

    n_features: int | None
    classifier: PLTClassifier
    _state: TaggerState | None

    @property
    def classifier_(self) -> PLTClassifier:
        raise NotImplementedError

    def _fit_features(
        self, texts: list[str] | None, tags: Any, embeddings: Any, n_unheld: int = 0
    ) -> tuple[TextFeatures, FeatureMatrix]:
        raise NotImplementedError

    @one_at_a_time
    def partial_fit(self, texts: Any, tags: Any = None, *, embeddings: Any = None) -> Self:
        """Update the model with each text once, in order; new tags are added.

        A new tagger must hash words (`n_features`), because a vocabulary cannot include words that
        occur later. Inverse document frequencies are learned from the texts of the first call.
        After `fit` with a vocabulary, words that are not in it are ignored. See
        `PLTClassifier.partial_fit`.

        Examples
        --------
        >>> from labeltree import TextTagger
        >>> tagger = TextTagger(n_features=2**10)
        >>> tagger = tagger.partial_fit(["green tea", "rye bread"], [["tea"], ["bread"]])
        >>> tagger = tagger.partial_fit(["strawberry jam"], [["jam"]])
        >>> tagger.tag(["jam"], k=1)[0][0][0]
        'jam'
        """
        texts, tags = checked_pairs(texts, tags, embeddings)
        with self._learning(texts, tags, embeddings) as (classifier, X):
            classifier.partial_fit(X, tags)
        return self

    @checked
    @one_at_a_time
    def predict_then_fit(
        self, texts: Any, tags: Any = None, k: int = 5, *, embeddings: Any = None
    ) -> list[Tags]:
        """Learn from texts like `partial_fit`, and return the tags predicted before each text."""
        texts, tags = checked_pairs(texts, tags, embeddings)
        with self._learning(texts, tags, embeddings) as (classifier, X):
            labels, probabilities = classifier.predict_then_fit(X, tags, k)
        names = classifier.classes_
        return [
            [(names[j], p) for j, p in zip(row, row_proba, strict=True) if j >= 0]
            for row, row_proba in zip(labels.tolist(), probabilities.tolist(), strict=True)
        ]

    @checked
    @one_at_a_time
    def remove_labels(self, tags: Sequence[Hashable]) -> Self:
        """Remove tags; see `PLTClassifier.remove_labels`."""
        self.classifier_.remove_labels(tags)
        return self

    @checked
    @one_at_a_time
    def rebuild_tree(self, *, tree: str | None = None) -> Self:
        """Build a new tree from recent texts; see `PLTClassifier.rebuild_tree`."""
        self.classifier_.rebuild_tree(tree=tree)
        return self

    @property
    def tree_cost_(self) -> TreeCost:
        """Mean number of nodes that a recent text visits, and a lower bound for any tree."""
        return self.classifier_.tree_cost_

    @contextmanager
    def _learning(
        self, checked: list[str] | None, tags: Any, embeddings: Any
    ) -> Iterator[tuple[PLTClassifier, FeatureMatrix]]:
        """Yield the classifier and the features of texts; keep both if something is learned."""
        if self._state is not None:
            features, classifier = self._state
            yield classifier, features.transform(checked, embeddings)
            return
        if self.n_features is None and checked is not None:
            raise ValueError(
                "partial_fit requires hashed words or a vocabulary, but the tagger has neither; "
                "set n_features, such as TextTagger(n_features=2**18), or call fit first"
            )
        features, X = self._fit_features(checked, tags, embeddings)
        classifier = clone(self.classifier)
        try:
            yield classifier, X
        finally:
            if classifier._state is not None:
                self._state = TaggerState(features, classifier)
