"""Markdown tables, and documents with markers for them."""

from __future__ import annotations

import re
from collections.abc import Sequence

NUMBER = r"[+−-]?\d(?:[\d,.]*\d)?"


def table(header: Sequence[str], rows: Sequence[Sequence[str]], n_text: int = 1) -> str:
    """Return a Markdown table whose first columns are text and whose others are numbers."""
    lines = [header, ["---"] * n_text + ["---:"] * (len(header) - n_text), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def at_ranks(values: Sequence[float]) -> str:
    """Return percentages at several ranks as the cell of a table.

    Examples
    --------
    >>> at_ranks([81.25, 70.0, 60.5])
    '81.2 / 70.0 / 60.5'
    """
    return " / ".join(f"{value:.1f}" for value in values)


def has_place(text: str, name: str) -> bool:
    """Return whether a document has the markers of a name."""
    return f"<!-- {name}:begin -->" in text and f"<!-- {name}:end -->" in text


def fill(text: str, name: str, made: str) -> str:
    """Return a document with the text between the markers of a name replaced.

    Examples
    --------
    >>> fill("<!-- a:begin -->old<!-- a:end -->", "a", "new").splitlines()
    ['<!-- a:begin -->', 'new', '<!-- a:end -->']
    """
    begin, end = f"<!-- {name}:begin -->", f"<!-- {name}:end -->"
    pattern = re.escape(begin) + ".*?" + re.escape(end)
    return re.sub(pattern, lambda _: f"{begin}\n{made}\n{end}", text, flags=re.DOTALL)


def value_names(text: str) -> list[str]:
    """Return the names of the figures in the running text of a document.

    Examples
    --------
    >>> value_names("It takes 3.1<!-- figure: a.b --> s.")
    ['a.b']
    """
    return re.findall(r"<!-- figure: (\S+) -->", text)


def fill_value(text: str, name: str, value: str) -> str:
    """Return a document with the number before the comment of a name replaced.

    Examples
    --------
    >>> fill_value("It takes 3.1<!-- figure: a.b --> s.", "a.b", "1,024")
    'It takes 1,024<!-- figure: a.b --> s.'
    """
    comment = f"<!-- figure: {name} -->"
    return re.sub(NUMBER + re.escape(comment), lambda _: value + comment, text)
