"""A reader for the subset of CBOR (RFC 8949) that other systems use in their model files."""

from __future__ import annotations

from typing import Any

_UNSIGNED, _NEGATIVE, _BYTES, _TEXT, _LIST, _MAPPING, _TAG, _SIMPLE = range(8)
_INLINE = 24  # smaller numbers are stored in the first byte
_SIZES = {24: 1, 25: 2, 26: 4, 27: 8}  # bytes of the number that follows


class Reader:
    """Reads items one at a time, and skips items that are not needed.

    Examples
    --------
    >>> reader = Reader(bytes.fromhex("a2 61 77 82 01 02 61 6c 81 07"))  # {"w": [1, 2], "l": [7]}
    >>> reader.mapping()
    2
    >>> reader.text(), reader.skip(), reader.text(), reader.integers()
    ('w', None, 'l', [7])
    """

    def __init__(self, content: bytes | memoryview, at: int = 0) -> None:
        self._content = content
        self.at = at

    def mapping(self) -> int:
        """Enter a mapping and return its number of pairs."""
        return self._expect(_MAPPING, "a mapping")

    def items(self) -> int:
        """Enter a list and return its number of items."""
        return self._expect(_LIST, "a list")

    def text(self) -> str:
        """Return a string."""
        at = self.at
        try:
            return bytes(self._take(self._expect(_TEXT, "a string"))).decode()
        except UnicodeDecodeError:
            raise ValueError(f"byte {at}: a string must be UTF-8, but this one is not") from None

    def integers(self) -> list[int]:
        """Return a list of nonnegative integers."""
        return [self._expect(_UNSIGNED, "a number") for _ in range(self.items())]

    def skip(self) -> None:
        """Skip one item with all its content."""
        pending = 1
        while pending:
            kind, number = self._head()
            pending -= 1
            if kind in (_BYTES, _TEXT):
                self._take(number)
            elif kind == _LIST:
                pending += number
            elif kind == _MAPPING:
                pending += 2 * number
            elif kind == _TAG:
                pending += 1

    def _expect(self, kind: int, name: str) -> int:
        at = self.at
        found, number = self._head()
        if found != kind:
            raise ValueError(f"byte {at}: expected {name}, but found something else")
        return number

    def _head(self) -> tuple[int, int]:
        """Return the kind of the next item, and its number, length or count."""
        first = self._take(1)[0]
        kind, number = first >> 5, first & 31
        if number < _INLINE:
            return kind, number
        if number not in _SIZES:
            raise ValueError(f"byte {self.at - 1}: items of indefinite length are not supported")
        return kind, int.from_bytes(self._take(_SIZES[number]), "big")

    def _take(self, n_bytes: int) -> Any:
        end = self.at + n_bytes
        if end > len(self._content):
            raise ValueError(f"the file is truncated after {len(self._content)} bytes")
        piece = self._content[self.at : end]
        self.at = end
        return piece
