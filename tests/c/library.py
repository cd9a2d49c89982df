"""The C library, called from Python."""

from __future__ import annotations

import ctypes
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

LIBRARY = os.environ.get("LABELTREE_C_LIBRARY", "")
needs_library = pytest.mark.skipif(
    not LIBRARY, reason="LABELTREE_C_LIBRARY names no library; make test-c builds it"
)

SKIP_CHECKSUMS = 1
_ERROR_SIZE = 1000
_BUFFER = [ctypes.c_char_p, ctypes.c_size_t]


class RefusedError(Exception):
    """What the library says about a file or a row."""


def _library() -> ctypes.CDLL:
    library = ctypes.CDLL(LIBRARY)
    library.labeltree_version.restype = ctypes.c_char_p
    library.labeltree_open.restype = ctypes.c_void_p
    library.labeltree_open.argtypes = [ctypes.c_char_p, ctypes.c_uint, *_BUFFER]
    for name in ("close", "n_labels", "n_features"):
        getattr(library, f"labeltree_{name}").argtypes = [ctypes.c_void_p]
    library.labeltree_label_name.restype = ctypes.c_int64
    library.labeltree_label_name.argtypes = [ctypes.c_void_p, ctypes.c_int32, *_BUFFER]
    library.labeltree_top_k.restype = ctypes.c_int64
    row = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t]
    found = [ctypes.c_size_t, ctypes.c_void_p, ctypes.c_void_p]
    library.labeltree_top_k.argtypes = [ctypes.c_void_p, *row, *found, *_BUFFER]
    return library


class Model:
    """An open model file; a context manager that closes it."""

    def __init__(self, path: Path, options: int = 0) -> None:
        self._library = _library()
        error = ctypes.create_string_buffer(_ERROR_SIZE)
        self._model = self._library.labeltree_open(os.fsencode(path), options, error, _ERROR_SIZE)
        if not self._model:
            raise RefusedError(error.value.decode())

    def __enter__(self) -> Model:
        return self

    def __exit__(self, *_: object) -> None:
        self._library.labeltree_close(self._model)

    @property
    def n_labels(self) -> int:
        return int(self._library.labeltree_n_labels(self._model))

    @property
    def n_features(self) -> int:
        return int(self._library.labeltree_n_features(self._model))

    def name(self, label: int, size: int = 1000) -> tuple[int, bytes]:
        """Return the length of a name, and what a buffer of this size has of it."""
        buffer = ctypes.create_string_buffer(b"\xff" * size, size) if size else None
        length = self._library.labeltree_label_name(self._model, label, buffer, size)
        return length, buffer.raw if buffer is not None else b""

    def names(self) -> list[str]:
        """Return all names."""
        found = [self.name(label) for label in range(self.n_labels)]
        return [buffer[:length].decode() for length, buffer in found]

    def top_k(self, features: Any, values: Any, k: int) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return labels and probabilities of a row."""
        indices, numbers = np.asarray(features, np.int32), np.asarray(values, np.float32)
        room = min(k, self.n_labels)
        labels, found = np.full(room, -7, np.int32), np.full(room, np.nan, np.float32)
        error = ctypes.create_string_buffer(_ERROR_SIZE)
        row = (indices.ctypes.data, numbers.ctypes.data, len(indices))
        results = (labels.ctypes.data, found.ctypes.data)
        n = self._library.labeltree_top_k(self._model, *row, k, *results, error, _ERROR_SIZE)
        if n < 0:
            raise RefusedError(error.value.decode())
        return labels[:n], found[:n]


def version() -> str:
    """Return the release of the library."""
    return str(_library().labeltree_version().decode())
