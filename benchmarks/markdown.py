"""Tables in Markdown, and documents with places for them."""

from __future__ import annotations

import re
from collections.abc import Sequence


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table whose first column is text and whose others are numbers."""
    lines = [header, ["---"] + ["---:"] * (len(header) - 1), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def fill(text: str, name: str, made: str) -> str:
    """Return a document with what stands between the markers of a name replaced.

    Examples
    --------
    >>> fill("<!-- a:begin -->old<!-- a:end -->", "a", "new").splitlines()
    ['<!-- a:begin -->', 'new', '<!-- a:end -->']
    """
    begin, end = f"<!-- {name}:begin -->", f"<!-- {name}:end -->"
    pattern = re.escape(begin) + ".*?" + re.escape(end)
    return re.sub(pattern, lambda _: f"{begin}\n{made}\n{end}", text, flags=re.DOTALL)
