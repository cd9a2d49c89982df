"""The features of training texts: words, and embeddings with the weight that suits them."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from typing import Any

from labeltree.data.features import FeatureMatrix
from labeltree.data.text_shards import TextShards
from labeltree.estimators import PLTClassifier
from labeltree.execution.executor import as_executor
from labeltree.progress import show_stage
from labeltree.text.embedding_weight import (
    Split,
    can_be_found,
    check_weight,
    find_weight,
    seed_of,
    taken,
    weighted,
)
from labeltree.text.encoders import TrainableEncoder, check_encoder, fitted_encoder
from labeltree.text.features import TextFeatures
from labeltree.text.named_encoders import by_name
from labeltree.text.options import OPTION_NAMES, TextOptions
from labeltree.text.spread import spread_rows


class FeaturesMixin:
    """The parameters of a tagger that decide about features."""

    encoder: Any
    embedding_weight: float | str
    classifier: PLTClassifier

    def _options(self) -> TextOptions:
        return TextOptions(**{name: getattr(self, name) for name in OPTION_NAMES})

    def _fit_shards(
        self, shards: TextShards, before: TextFeatures | None, classifier: PLTClassifier
    ) -> TextFeatures:
        """Fit the classifier to shards, and return the features, which are new or those before."""
        if self.encoder is not None:
            raise ValueError(
                "encoder must be None for shards, which are not encoded; encode the texts first, "
                "and pass texts and embeddings"
            )
        executor = as_executor(classifier.executor, classifier.n_jobs)
        with ExitStack() as stack:
            with show_stage("making features", quiet=classifier.verbose <= 0):
                known = self._options() if before is None else before
                made = stack.enter_context(spread_rows(known, shards, executor))
            classifier._fit_checked(made.X, made.rows)
        return made.features

    def _fit_features(
        self, texts: list[str] | None, tags: Any, embeddings: Any, n_unheld: int = 0
    ) -> tuple[TextFeatures, FeatureMatrix]:
        """Return the features that were learned from texts, and those of the texts.

        The last `n_unheld` texts have no part in finding the weight of embeddings.
        """
        check_encoder(self.encoder)
        check_weight(self.embedding_weight)
        options, encoder = self._options(), by_name(self.encoder)
        learns = encoder is not None and embeddings is None and texts is not None
        if learns:
            encoder = fitted_encoder(encoder, texts or [], tags)
        features, X = TextFeatures.fit(options, texts, embeddings, encoder=encoder)
        if not features.n_embeddings or texts is None:
            return features, X
        weight = self.embedding_weight
        if can_be_found(len(texts) - n_unheld, weight):
            split = Split(len(texts) - n_unheld, seed_of(self.classifier))
            refit = learns and isinstance(self.encoder, TrainableEncoder)
            weight = self._found_weight(features, X, texts, tags, split, refit=refit)
        block = replace(features.embeddings, weight=1.0 if isinstance(weight, str) else weight)
        scaled = X if block.weight == 1 else weighted(X, len(features.idf), block.weight)
        return features.with_embeddings(block), scaled

    def _found_weight(
        self,
        features: TextFeatures,
        X: FeatureMatrix,
        texts: list[str],
        tags: Any,
        split: Split,
        *,
        refit: bool,
    ) -> float:
        """Return the weight that small fits find.

        An encoder that learns is fitted again without the texts that are held out: embeddings of
        texts that it has learned from look better than they are.
        """
        if refit:
            rest = taken(texts, split.rest)
            encoder = fitted_encoder(self.encoder, rest, taken(tags, split.rest))
            block = replace(features.embeddings, encoder=encoder)
            X = features.with_embeddings(block).transform(texts)
        return find_weight(self.classifier, X, len(features.idf), tags, split)
