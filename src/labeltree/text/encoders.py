"""Encoders: functions from texts to dense rows, which stand beside the words of a tagger."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from labeltree.arguments import shown


class Encoder(Protocol):
    """A function from texts to dense rows, one per text, such as an array or a tensor.

    If it has a method `encode`, as models of sentence-transformers and model2vec do, that method is
    called instead. If it has a method ``fit(texts, tags)``, a copy is fitted to the training texts.
    Files store its `name`, or that of the function or class.
    """

    def __call__(self, texts: Sequence[str], /) -> Any:
        """Return one row of numbers per text."""


@runtime_checkable
class TrainableEncoder(Protocol):
    """An encoder that learns from the training texts of a tagger."""

    def fit(self, texts: Sequence[str], tags: Any, /) -> Any:
        """Learn from texts and tags; return the encoder."""


def check_encoder(encoder: Any) -> None:
    """Raise an error if an encoder is not a function, an object with `encode`, a name or None."""
    is_name = isinstance(encoder, str) and encoder.isprintable()
    is_function = callable(encoder) or hasattr(encoder, "encode")
    if isinstance(encoder, type) or not (encoder is None or is_name or is_function):
        raise TypeError(
            f"encoder must be a function from texts to rows of numbers, but is {shown(encoder)}"
        )


def fitted_encoder(encoder: Any, texts: Sequence[str], tags: Any) -> Any:
    """Return the encoder; one that learns, as a copy fitted to the texts.

    Examples
    --------
    >>> fitted_encoder(len, ["tea"], [["drink"]])
    <built-in function len>
    """
    if isinstance(encoder, str) or not isinstance(encoder, TrainableEncoder):
        return encoder
    return copy.deepcopy(encoder).fit(texts, tags)


def encode(encoder: Any, texts: Sequence[str]) -> NDArray[np.float32]:
    """Return one row of numbers per text.

    Examples
    --------
    >>> encode(lambda texts: [[len(text), 1] for text in texts], ["tea", "rye"]).shape
    (2, 2)
    """
    if isinstance(encoder, str):
        raise ValueError(
            f"the encoder {encoder!r:.80} is known by only the name; pass the encoder to "
            "set_encoder, or a name that starts with 'sentence-transformers:' or 'model2vec:'"
        )
    function = encoder.encode if hasattr(encoder, "encode") else encoder
    found = function(list(texts))
    if hasattr(found, "detach"):  # a tensor, perhaps with a gradient or on a GPU
        found = found.detach().float().cpu().numpy()
    rows = np.asarray(found, dtype=np.float32)
    if rows.ndim != 2 or len(rows) != len(texts):
        raise ValueError(
            f"encoder must return one row of numbers for each of {len(texts)} texts, but returned "
            f"an array of shape {rows.shape}"
        )
    return rows


def encoder_name(encoder: Any) -> str | None:
    """Return the name by which a model file stores an encoder.

    Examples
    --------
    >>> encoder_name(len), encoder_name(None)
    ('len', None)
    """
    if encoder is None or isinstance(encoder, str):
        return encoder
    own = getattr(encoder, "name", None)
    if isinstance(own, str):
        return own
    return str(getattr(encoder, "__qualname__", type(encoder).__qualname__))
