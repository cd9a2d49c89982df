"""Encoders by name: models of sentence-transformers and of model2vec, opened on first use."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from labeltree.text.encoders import encode

# What the hub calls models: "name" or "owner/name", and no path outside of the cache.
_HUB_NAME = re.compile(r"\w[\w.-]*(/\w[\w.-]*)?", re.ASCII)


def _open_sentence_transformer(model: str, *, is_cached: bool) -> Any:
    from sentence_transformers import SentenceTransformer

    return SentenceTransformer(model, local_files_only=is_cached)


def _open_static_model(model: str, *, is_cached: bool) -> Any:
    from model2vec import StaticModel

    if is_cached:
        from huggingface_hub import snapshot_download

        model = snapshot_download(model, local_files_only=True)
    return StaticModel.from_pretrained(model)


#: By what comes before the colon, which is also what pip installs.
_OPENERS: dict[str, Callable[..., Any]] = {
    "sentence-transformers": _open_sentence_transformer,
    "model2vec": _open_static_model,
}


@dataclass(frozen=True)
class NamedEncoder:
    """An encoder that a package opens by name.

    Parameters
    ----------
    name
        Package, colon, and the name of a model on the Hugging Face hub or a folder.
    is_stored
        Whether the name comes from a model file. A file must not decide what is downloaded or which
        folders are read, so then only models in the local cache of the hub are opened.

    Examples
    --------
    >>> NamedEncoder("model2vec:minishlab/potion-base-8M").package
    'model2vec'
    """

    name: str
    is_stored: bool = False

    @property
    def package(self) -> str:
        """What pip installs."""
        return self.name.partition(":")[0]

    @property
    def model(self) -> str:
        """Name on the hub, or folder."""
        return self.name.partition(":")[2]

    def __call__(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one row of numbers per text."""
        return encode(self._opened, texts)

    def __deepcopy__(self, memo: Any) -> Self:
        return self  # clones of a tagger share the opened model

    def __getstate__(self) -> dict[str, Any]:
        return {"name": self.name, "is_stored": self.is_stored}

    def _check_model(self) -> None:
        is_hub_name = _HUB_NAME.fullmatch(self.model) and not Path(self.model).exists()
        if self.is_stored and not is_hub_name:
            raise ValueError(
                f"the model file names the encoder {self.name!r:.200}, which is a folder, and "
                f"files do not decide which folders are read; call {self._remedy} if you trust it"
            )

    @property
    def _remedy(self) -> str:
        return f"set_encoder({self.name!r:.200})"

    @cached_property
    def _opened(self) -> Any:
        self._check_model()
        try:
            return _OPENERS[self.package](self.model, is_cached=self.is_stored)
        except ModuleNotFoundError as error:
            raise ModuleNotFoundError(
                f"the encoder {self.name!r:.200} needs the package {error.name}: pip install "
                f"{self.package}"
            ) from None
        except (OSError, ValueError) as error:
            if not self.is_stored:
                raise
            raise ValueError(
                f"the encoder {self.name!r:.200} of the model file is not in the local cache of "
                f"the Hugging Face hub; call {self._remedy} to download it"
            ) from error


def check_name(name: str) -> str:
    """Return a name that an encoder can be opened by.

    Raises
    ------
    ValueError
        If the name does not start with a package that opens encoders.

    Examples
    --------
    >>> check_name("model2vec:minishlab/potion-base-8M")
    'model2vec:minishlab/potion-base-8M'
    """
    package, _, model = name.partition(":")
    if package in _OPENERS and model:
        return name
    known = " or ".join(f"{package}:MODEL" for package in _OPENERS)
    raise ValueError(f"must be {known}, but is {name!r:.80}")


def by_name(encoder: Any, *, is_stored: bool = False) -> Any:
    """Return the encoder that a name stands for; anything else as it is.

    Examples
    --------
    >>> by_name("model2vec:folder")
    NamedEncoder(name='model2vec:folder', is_stored=False)
    >>> by_name("my_function"), by_name(len)
    ('my_function', <built-in function len>)
    """
    if not isinstance(encoder, str):
        return encoder
    package, _, model = encoder.partition(":")
    return NamedEncoder(encoder, is_stored) if package in _OPENERS and model else encoder
