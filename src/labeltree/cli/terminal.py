"""Text on a terminal, where characters of labels and file names must not control it."""

from __future__ import annotations

import re
import sys
from typing import Any, TextIO

# Control characters except tab and line feed; marks of direction, separators of lines and
# paragraphs, byte order marks, invisible tags and halves of surrogate pairs.
_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff"
    "\U000e0000-\U000e007f]"
)


def visible(text: str) -> str:
    r"""Return the text with escapes, as in JSON, for characters that could control a terminal.

    Examples
    --------
    >>> print(visible("\x1b[31mred\u202e"))
    \u001b[31mred\u202e
    """
    return _UNSAFE.sub(_escaped, text)


def _escaped(match: re.Match[str]) -> str:
    units = match[0].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[i : i + 2].hex()}" for i in range(0, len(units), 2))


class VisibleText:
    """A text stream that escapes what is written to it; JSON stays valid."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        """Write the text with escapes."""
        return self._stream.write(visible(text))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def is_terminal(path: str) -> bool:
    """Return whether an output path stands for a terminal."""
    return path == "-" and sys.stdout.isatty()
