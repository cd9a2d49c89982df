"""Numbers with units in running text, which must be figures of a page or allowed.

A figure is a number before a comment, as in `12.3<!-- figure: NAME --> s`; a page module yields its
value. Other numbers with units are allowed by `ALLOWED`, with a reason.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from fnmatch import fnmatch

from benchmarks.figures.allowed import ALLOWED
from benchmarks.markdown import NUMBER

_UNITS = (
    "%|ms|µs|s|seconds?|minutes?|min|hours?|kB|MB|GB|times|points?|rows/s|rows per CPU s|"
    "CPU s|CPU seconds?|CPU min|CPU h|rows per s"
)
_COMMENT = r"(?:<!-- figure: \S+ -->)?"
_ONE = rf"(?<![\w.@^/(=-]){NUMBER}{_COMMENT}"
#: One or several numbers before a unit, such as "0.1, 0.5 and 0.5 points" and "3 to 11 times".
_CLAIM = re.compile(
    rf"{_ONE}(?:(?:,? (?:to|and|or|instead of) |, | / |/){_ONE})*\s(?:{_UNITS})(?![\w·])"
)
_UNMARKED = re.compile(rf"{_ONE}")
_BLOCKS = re.compile(
    r"<!-- ([\w-]+):begin -->.*?<!-- \1:end -->"
    r"|^ *```.*?^ *```|(?<=\n\n)(?: {4}[^\n]*\n)+|`[^`\n]*`",
    re.DOTALL | re.MULTILINE,
)
#: Pages whose running text is not checked yet.
NOT_YET = {
    "docs/explanation/cost-and-accuracy.md": "its tables name their commits",
    "docs/explanation/study*.md": "the study is history, its claims stay with their commits",
    "docs/reference/measurements/files.md": "files of ten million texts, measured by hand",
    "docs/how-to/torch*.md": "of another machine, quoted by hand from torch-h200.json",
    "docs/reference/measurements/torch.md": "of another machine, quoted by hand",
}


def is_checked(page: str) -> bool:
    """Return whether the running text of a page is checked."""
    return not any(fnmatch(page, pattern) for pattern in NOT_YET)


def running_text(document: str) -> str:
    """Return a page without tables between markers and without code, line by line.

    Examples
    --------
    >>> running_text("a `1 s` <!-- t:begin -->2 s<!-- t:end --> 3 s")
    'a   3 s'
    """
    return _BLOCKS.sub(lambda block: "\n" * block.group().count("\n"), document)


def unmarked(document: str, allowed: Iterable[str] = ALLOWED) -> Iterator[str]:
    """Yield claims in the running text that have a number without a figure and are not allowed."""
    text = " ".join(running_text(document).split())
    for phrase in allowed:
        text = text.replace(phrase, "…")
    for claim in _CLAIM.finditer(text):
        if any("<!--" not in number for number in _UNMARKED.findall(claim.group())):
            yield claim.group()


def stale(documents: Iterable[str], allowed: Iterable[str] = ALLOWED) -> Iterator[str]:
    """Yield allowed phrases that no page has any longer."""
    texts = [" ".join(running_text(document).split()) for document in documents]
    yield from (phrase for phrase in allowed if not any(phrase in text for text in texts))
