"""The error messages that how-to guides show, as they are on the page."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent.parent / "docs" / "how-to"
_SECTION = "## What to do when it goes wrong"


def shown_errors(page: str) -> list[str]:
    """Return the messages of a page: code with a blank, in the first column of its table.

    An ellipsis stands for anything.
    """
    section = (FOLDER / f"{page}.md").read_text().partition(_SECTION)[2].partition("\n## ")[0]
    firsts = re.findall(r"^\| (.*?) \| ", section, flags=re.MULTILINE)
    return [code for first in firsts for code in re.findall(r"`([^`]* [^`]*)`", first)]


def not_raised(page: str, messages: Iterable[str]) -> list[str]:
    """Return the messages of a page that are not among these."""
    found = list(messages)
    return [error for error in shown_errors(page) if not any(_is(error, one) for one in found)]


def message_of(work: Callable[[], object], error: type[Exception] = ValueError) -> str:
    """Return the message of the exception that some work raises."""
    with pytest.raises(error) as raised:
        work()
    return str(raised.value)


def _is(error: str, message: str) -> bool:
    pattern = ".*".join(re.escape(part) for part in error.split("…"))
    return re.fullmatch(pattern, message, flags=re.DOTALL) is not None
