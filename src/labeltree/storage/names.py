"""Names of labels and features as arrays; decoded when they are first used."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labeltree.data.arrays import check_ascending, take
from labeltree.data.naming import are_positions
from labeltree.storage.section import Section
from labeltree.storage.table import DTYPES

Names = NDArray[Any]
#: Kinds of names, and the arrays that hold them, without what they are the names of.
NAME_ARRAYS = {
    "positions": (),
    "numbers": ("values",),
    "booleans": ("values",),
    "text": ("text", "ends"),
    "fixed_text": ("text", "ends"),
}
_UTF8_TAIL = 0x80  # of 10xxxxxx, a byte within a character


def store_names(what: str, names: Names) -> tuple[str, dict[str, NDArray[Any]]]:
    """Return the kind of names and the arrays that hold them.

    Parameters
    ----------
    what
        What the names are of, "labels" or "features"; a prefix of the names of the arrays.
    names
        Numbers, booleans or text, all of one kind.

    Examples
    --------
    >>> kind, arrays = store_names("labels", np.array(["tea", "milk"], object))
    >>> kind, bytes(arrays["labels.text"]), arrays["labels.ends"].tolist()
    ('text', b'teamilk', [0, 3, 7])
    """
    if names.dtype == np.int64 and are_positions(names):
        return "positions", {}
    if names.dtype.kind == "b":
        return "booleans", {f"{what}.values": names.astype(np.uint8)}
    if names.dtype.kind in "iuf" and names.dtype.str[1:] in DTYPES:
        return "numbers", {f"{what}.values": names}
    if names.dtype.kind == "U":
        return "fixed_text", _text(what, names)
    if names.dtype.kind == "O" and all(isinstance(name, str) for name in names):
        return "text", _text(what, names)
    raise ValueError(
        f"a model file holds {what} that are all text or all numbers, but here is "
        f"{_odd_one(names)!r:.40}; use other names and fit again, or pickle the model"
    )


def _odd_one(names: Names) -> Any:
    return next((name for name in names.tolist() if not isinstance(name, str)), None)


def _text(what: str, names: Names) -> dict[str, NDArray[Any]]:
    try:
        encoded = [name.encode() for name in names.tolist()]
    except UnicodeEncodeError as error:
        raise ValueError(f"{what} must be Unicode text, but one is {error.object!r:.40}") from None
    ends = np.zeros(len(encoded) + 1, np.int64)
    np.cumsum([len(name) for name in encoded], out=ends[1:])
    return {f"{what}.text": np.frombuffer(b"".join(encoded), np.uint8), f"{what}.ends": ends}


@dataclass(frozen=True, eq=False)
class StoredNames:
    """Checked names that are decoded later: a million strings take longer than opening the file."""

    kind: str
    n_names: int
    values: NDArray[Any]  # the numbers, or the bytes of the text
    ends: NDArray[np.int64]

    @classmethod
    def take(
        cls, what: str, kind: Any, arrays: Mapping[str, NDArray[Any]], n_names: int
    ) -> StoredNames:
        """Return names of arrays that are checked, so that decoding cannot fail."""
        empty = np.zeros(0, np.int64)
        if not isinstance(kind, str) or kind not in NAME_ARRAYS:
            raise ValueError(f"names of {what} are of the unknown kind {kind!r:.40}")
        if kind == "positions":
            return cls(kind, n_names, empty, empty)
        if kind in ("numbers", "booleans"):
            dtype = "u1" if kind == "booleans" else None
            values = take(arrays, f"{what}.values", dtype, n_names)
            if kind == "booleans" and values.size and values.max() > 1:
                raise ValueError(f"{what}.values must be 0 or 1, but holds {values.max()}")
            if values.dtype.kind == "f" and not np.isfinite(values).all():
                raise ValueError(f"{what}.values must be finite")
            return cls(kind, n_names, values, empty)
        text = take(arrays, f"{what}.text", "u1")
        ends = take(arrays, f"{what}.ends", "i8", n_names + 1)
        check_ascending(f"{what}.ends", ends, len(text))
        _check_utf8(what, text, ends)
        return cls(kind, n_names, text, ends)

    @cached_property
    def names(self) -> Names:
        """The names as an array.

        Examples
        --------
        >>> kind, arrays = store_names("labels", np.array(["tea", "milk"]))
        >>> StoredNames.take("labels", kind, arrays, 2).names
        array(['tea', 'milk'], dtype='<U4')
        """
        if self.kind == "positions":
            return np.arange(self.n_names)
        if self.kind == "booleans":
            return self.values.astype(bool)
        if self.kind == "numbers":
            return self.values.astype(self.values.dtype.newbyteorder("="))  # a copy, not the map
        text = bytes(self.values)
        parts = [text[first:last].decode() for first, last in pairwise(self.ends.tolist())]
        if self.kind == "fixed_text":
            return np.array(parts, np.str_)
        names = np.empty(len(parts), object)
        names[:] = parts
        return names


def take_names(section: Section, n_names: int) -> StoredNames:
    """Return the names of a section; the content says of which kind they are.

    Examples
    --------
    >>> kind, arrays = store_names("labels", np.array([3, 7]))
    >>> take_names(Section("labels", {"names": kind}, arrays), 2).names
    array([3, 7])
    """
    what, kind = section.name, section.content["names"]
    names = StoredNames.take(what, kind, section.arrays, n_names)
    section.check_arrays([f"{what}.{name}" for name in NAME_ARRAYS[kind]])
    return names


def _check_utf8(what: str, text: NDArray[np.uint8], ends: NDArray[np.int64]) -> None:
    if text.size == 0 or text.max() < _UTF8_TAIL:  # plain ASCII
        return
    try:
        bytes(text).decode()
    except UnicodeDecodeError as error:
        raise ValueError(f"{what}.text must be UTF-8, but is not: {error.reason}") from None
    inside = ends[ends < len(text)]
    if ((text[inside] & 0xC0) == _UTF8_TAIL).any():
        raise ValueError(f"{what}.ends must not lie within a character")
