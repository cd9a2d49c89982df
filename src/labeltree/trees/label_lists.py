"""Lists of label names that fit a number of columns."""

from __future__ import annotations

from collections.abc import Sequence


def listed(names: Sequence[object], n_labels: int, width: int) -> str:
    """Return names separated by commas, with an ellipsis if some are omitted.

    Examples
    --------
    >>> listed(["cat", "dog", "fish"], 5, 40)
    'cat, dog, fish, …'
    """
    for n_named in range(len(names), 1, -1):
        text = ", ".join(map(on_one_line, names[:n_named]))
        text += ", …" if n_named < n_labels else ""
        if len(text) <= width:
            return text
    if n_labels == 1:
        return shortened(names[0], width)
    return shortened(names[0], max(width - 3, 1)) + ", …"


def shortened(name: object, width: int) -> str:
    """Return the name on one line, shortened to at most `width` columns."""
    text = on_one_line(name)
    return text if len(text) <= width else text[: width - 1] + "…"


def on_one_line(name: object) -> str:
    """Return the name without line breaks, and with visible marks for control characters."""
    text = " ".join(str(name).split())
    return text if text.isprintable() else "".join(c if c.isprintable() else "�" for c in text)
