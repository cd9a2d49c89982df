"""What a fitted tagger consists of."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from labeltree.data.labels import Kind
from labeltree.estimators import PLTClassifier
from labeltree.model.interface import LabelModel
from labeltree.text.encoders import check_encoder
from labeltree.text.features import TextFeatures
from labeltree.text.named_encoders import by_name
from labeltree.text.online import TaggerState
from labeltree.trees import LabelTree


class FittedMixin:
    """The fitted attributes of a tagger."""

    _state: TaggerState | None
    encoder: Any

    def __sklearn_is_fitted__(self) -> bool:
        return self._state is not None

    @property
    def _fitted(self) -> TaggerState:
        if self._state is None:
            check_is_fitted(self)
        assert self._state is not None
        return self._state

    @property
    def classifier_(self) -> PLTClassifier:
        """The fitted classifier."""
        return self._fitted.classifier

    @property
    def features_(self) -> TextFeatures:
        """Vocabulary and weights of words."""
        return self._fitted.features

    @property
    def classes_(self) -> NDArray[Any]:
        """The tags."""
        return self.classifier_.classes_

    @property
    def label_kind_(self) -> Kind:
        """The form of the tags: "sets" for lists of tags, "classes" for one tag per text."""
        return self.classifier_.label_kind_

    @property
    def model_(self) -> LabelModel:
        """Trees with their weights."""
        return self.classifier_.model_

    @property
    def trees_(self) -> list[LabelTree]:
        """The trees."""
        return self.classifier_.trees_

    @property
    def n_features_in_(self) -> int:
        """Number of words, or of columns that they are hashed to, plus the size of embeddings."""
        return self.classifier_.n_features_in_

    @property
    def encoder_(self) -> Any:
        """The fitted encoder; a name if a file has no more, and None without an encoder."""
        return self.features_.embeddings.encoder

    def set_encoder(self, encoder: Any) -> Self:
        """Set the encoder of a fitted tagger, of which a model file has only the name.

        A name such as "model2vec:minishlab/potion-base-8M" is opened, and downloaded if needed.
        It must be the one that the tagger was fitted with, because weights belong to its numbers.
        """
        check_encoder(encoder)
        features, classifier = self._fitted
        if not features.n_embeddings:
            raise ValueError("the tagger was fitted without embeddings, so it takes no encoder")
        block = replace(features.embeddings, encoder=by_name(encoder))
        self._state = TaggerState(features.with_embeddings(block), classifier)
        self.encoder = encoder
        return self
