"""A tagger that learns text by text."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, Self

from labeltree.estimators import PLTClassifier
from labeltree.online import TreeCost
from labeltree.text.checks import check_numbers, checked_texts
from labeltree.text.features import OPTION_NAMES, TextFeatures, TextOptions

Tags = list[tuple[Any, float]]


class OnlineTagger:
    """`partial_fit` and what comes with it, for texts."""

    n_features: int | None
    classifier_: PLTClassifier
    features_: TextFeatures

    def partial_fit(self, texts: Any, tags: Any, *, embeddings: Any = None) -> Self:
        """Learn texts once, in their order; tags never seen before are taken.

        A new tagger must hash words (`n_features`), as no vocabulary knows the words to come; how
        rare words are is learnt from the texts of the first call. After `fit` with a vocabulary,
        words that it does not have are passed over. See `PLTClassifier.partial_fit`.

        Examples
        --------
        >>> from labeltree import TextTagger
        >>> tagger = TextTagger(n_features=2**10)
        >>> tagger = tagger.partial_fit(["green tea", "rye bread"], [["tea"], ["bread"]])
        >>> tagger = tagger.partial_fit(["strawberry jam"], [["jam"]])
        >>> tagger.tag(["jam"], top_k=1)[0][0][0]
        'jam'
        """
        features, classifier, X = self._online_features(texts, tags, embeddings)
        classifier.partial_fit(X, tags)
        self.features_, self.classifier_ = features, classifier
        return self

    def progressive(
        self, texts: Any, tags: Any, top_k: int = 5, *, embeddings: Any = None
    ) -> list[Tags]:
        """Learn texts as `partial_fit` does, and return what was answered just before each."""
        features, classifier, X = self._online_features(texts, tags, embeddings)
        labels, probabilities = classifier.progressive(X, tags, top_k)
        self.features_, self.classifier_ = features, classifier
        names = classifier.classes_
        return [
            [(names[j], p) for j, p in zip(row, chances, strict=True) if j >= 0]
            for row, chances in zip(labels.tolist(), probabilities.tolist(), strict=True)
        ]

    def retire(self, tags: Sequence[Hashable]) -> Self:
        """Forget tags; see `PLTClassifier.retire`."""
        self.classifier_.retire(tags)
        return self

    def retree(self, *, tree: str | None = None) -> Self:
        """Build the tree anew from the last texts; see `PLTClassifier.retree`."""
        self.classifier_.retree(tree=tree)
        return self

    @property
    def tree_cost_(self) -> TreeCost:
        """Nodes that one of the last texts visits, and how few it could be with any tree."""
        if "classifier_" not in self.__dict__:
            raise AttributeError("the tagger is not fitted; call partial_fit first")
        return self.classifier_.tree_cost_

    def _online_features(
        self, texts: Any, tags: Any, embeddings: Any
    ) -> tuple[TextFeatures, PLTClassifier, Any]:
        checked = checked_texts(texts)
        check_numbers(checked, tags, embeddings)
        if "classifier_" in self.__dict__:
            X = self.features_.transform(checked, embeddings)
            return self.features_, self.classifier_, X
        if self.n_features is None and checked is not None:
            raise ValueError(
                "partial_fit meets words that no vocabulary has; set n_features, such as "
                "TextTagger(n_features=2**18), or call fit first"
            )
        options = TextOptions(**{name: getattr(self, name) for name in OPTION_NAMES})
        names = PLTClassifier().get_params(deep=False)
        classifier = PLTClassifier(**{name: getattr(self, name) for name in names})
        features, X = TextFeatures.fit(options, checked, embeddings)
        return features, classifier, X
