"""An encoder of texts that is trained together with an output layer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from labeltree.torch.encoders import BagEncoder
from labeltree.torch.rows import Features
from labeltree.torch.trainer import TreeNetwork, fit

MIN_TEXTS = 2  # of a word
NAME = "labeltree.torch.TextEncoder"


class TextEncoder:
    """Encoder of texts for ``TextTagger(encoder=...)``, trained by `labeltree.torch.fit`.

    Words become columns, and a module turns them into dense rows. It is trained with an output
    layer that predicts the tags.

    Parameters
    ----------
    module
        Encoder of rows, as in `fit`; a `BagEncoder` of 128 dimensions by default.
    vectorize
        Function from texts to the features of the module; by default, TF-IDF weights of the words
        that occur in two training texts or more.
    name
        Name of the encoder in model files.
    batch_size, n_prototypes
        As in `fit`.
    **fit_params
        Other parameters of `fit`, such as n_epochs or device.

    Attributes
    ----------
    network_ : the module and the output layer

    Examples
    --------
    >>> from labeltree.torch import TextEncoder
    >>> encoder = TextEncoder(batch_size=2, device="cpu")
    >>> texts, tags = ["green tea", "rye bread"] * 4, [["tea"], ["bread"]] * 4
    >>> encoder.fit(texts, tags)(["tea"]).shape
    (1, 128)
    """

    network_: TreeNetwork

    def __init__(
        self,
        module: nn.Module | None = None,
        *,
        vectorize: Callable[[Sequence[str]], Any] | None = None,
        name: str = NAME,
        batch_size: int = 256,
        n_prototypes: int = 1,
        **fit_params: Any,
    ) -> None:
        self.module = module
        self.vectorize = vectorize
        self.name = name
        self.fit_params = {"batch_size": batch_size, "n_prototypes": n_prototypes, **fit_params}

    def fit(self, texts: Sequence[str], tags: Any) -> Self:
        """Train the module with an output layer; tags are lists of tags, or one per text."""
        from labeltree.data import as_labels

        rows = as_labels(tags)
        Y = rows.indices.astype(np.int64) if rows.kind == "classes" else rows.to_csr()
        if self.vectorize is None:
            from sklearn.feature_extraction.text import TfidfVectorizer

            words = TfidfVectorizer(sublinear_tf=True, min_df=MIN_TEXTS, dtype=np.float32)
            self._vectorize = words.fit(texts).transform
        else:
            self._vectorize = self.vectorize
        X = self._vectorize(texts)
        torch.manual_seed(self.fit_params.get("random_state", 0))
        module = BagEncoder(X.shape[1], 128) if self.module is None else self.module
        self.network_ = fit(X, Y, encoder=module, **self.fit_params)
        return self

    @torch.no_grad()
    def __call__(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the encoded texts."""
        network = self.network_
        if not len(texts):
            return np.empty((0, int(network.encoder.n_dimensions)), np.float32)  # type: ignore[arg-type]
        features = Features(self._vectorize(texts), next(network.parameters()).device)
        return np.concatenate([x.float().cpu().numpy() for x in network.encoded(features)])
