"""The embeddings of texts: dense columns after the words, with a weight."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any, Self

import numpy as np
from scipy import sparse

from labeltree.data import as_features
from labeltree.data.features import FeatureMatrix
from labeltree.data.row_scaling import UNIT
from labeltree.text.embedding_weight import weighted
from labeltree.text.encoders import encode, encoder_name
from labeltree.text.named_encoders import by_name

#: Keys of a model file, with their kinds. Files of the first development releases have the first.
STORED = {"n_embeddings": int, "embedding_weight": float, "encoder": str | None}


@dataclass(frozen=True)
class Embeddings:
    """Where the embeddings of texts come from, how long they are, and their weight."""

    n_numbers: int = 0
    weight: float = 1.0
    encoder: Any = None  # a function, its name where only that is known, or None

    @property
    def are_given(self) -> bool:
        """Whether callers must pass embeddings, because there is no encoder."""
        return bool(self.n_numbers) and self.encoder is None

    def of(self, texts: Sequence[str] | None, given: Any) -> FeatureMatrix | None:
        """Return the embeddings that are given, or those of the encoder, in rows of length 1."""
        if given is None and self.encoder is not None and texts is not None:
            given = encode(self.encoder, texts)
        if (given is None) == bool(self.n_numbers):
            raise ValueError(
                "embeddings must be None, because the tagger was fitted without embeddings"
                if given is not None
                else "embeddings must not be None, because the tagger was fitted with embeddings "
                f"of {self.n_numbers} numbers"
            )
        if given is None:
            return None
        features = checked_embeddings(given)
        if features.shape[1] != self.n_numbers:
            raise ValueError(
                f"embeddings must have {self.n_numbers} numbers per text, as in fit, but have "
                f"{features.shape[1]}"
            )
        return features

    def beside(self, parts: list[Any], dense: FeatureMatrix | None) -> FeatureMatrix:
        """Return the parts side by side; the rows of words have length 1 or are empty."""
        if dense is None:
            words: FeatureMatrix = parts[0]
            return words
        unit = UNIT(dense)
        if parts and parts[0].shape[0] != unit.shape[0]:
            raise ValueError(
                f"embeddings must be given for each of {parts[0].shape[0]} texts, but are for "
                f"{unit.shape[0]}"
            )
        n_words = parts[0].shape[1] if parts else 0
        whole = sparse.hstack([*parts, unit], format="csr", dtype=np.float32) if parts else unit
        made = as_features(whole)
        return made if self.weight == 1 else weighted(made, n_words, self.weight)

    def to_header(self) -> dict[str, Any]:
        """Return the contents of a model file, which has the name of the encoder only."""
        values = (self.n_numbers, float(self.weight), encoder_name(self.encoder))
        return dict(zip(STORED, values, strict=True))

    @classmethod
    def from_header(cls, stored: Mapping[str, Any]) -> Self:
        """Restore embeddings from a model file; everything is checked."""
        content = {"embedding_weight": 1.0, "encoder": None, **stored}
        for name, kind in STORED.items():
            if not isinstance(content[name], kind) or isinstance(content[name], bool):
                raise ValueError(f"{name} of text is of the wrong kind: {content[name]!r:.40}")
        n_numbers, weight, encoder = (content[name] for name in STORED)
        if not (isfinite(weight) and weight > 0):
            raise ValueError(f"embedding_weight must be above 0, but is {weight}")
        # Printed as it is, so it may not steer a terminal.
        if encoder is not None and not (encoder.isprintable() and n_numbers):
            raise ValueError("encoder must be null or the name of what made embeddings")
        return cls(n_numbers, weight, by_name(encoder, is_stored=True))


#: Texts are words alone.
NO_EMBEDDINGS = Embeddings()


def checked_embeddings(embeddings: Any) -> FeatureMatrix:
    """Return embeddings as features, of at least one number per text."""
    features = as_features(embeddings)
    if features.shape[1] == 0:
        raise ValueError("embeddings must have at least one number per text, but have none")
    return features
