"""Fill in the contents of a section: its pages by group, each with its first sentence.

The first page of a section, such as how-to/index.md, has the marker ``<!-- contents -->``.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_MARKER = "<!-- contents -->"
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_TITLE = re.compile(r"^# .*$", re.MULTILINE)
_SENTENCE = re.compile(r".*?(?<![A-Z])[.:](?=\s|$)", re.DOTALL)  # initials of names end no sentence


def on_page_markdown(markdown: str, page: Any, config: Any, **_: Any) -> str:
    """Replace the marker of a page by the contents of its section."""
    if _MARKER not in markdown:
        return markdown
    own = page.file.src_uri
    section = next(pages for pages in _sections(config.nav) if own in map(_file, pages))
    rows = contents(section, own, Path(config.docs_dir))
    return markdown.replace(_MARKER, "\n".join(rows))


def _sections(nav: list[Any]) -> Iterator[list[Any]]:
    for entry in nav:
        yield from (value for value in entry.values() if isinstance(value, list))


def _file(entry: Any) -> str:
    """Return the file of an entry of the navigation, if it is a page."""
    value = next(iter(entry.values())) if isinstance(entry, dict) else entry
    return value if isinstance(value, str) else ""


def contents(section: list[Any], own: str, docs: Path) -> Iterator[str]:
    """Yield the lines of a table of the pages of a section, with a row for each group."""
    yield from ('<div class="overview contents" markdown>', "")
    yield from ("| page | what it is for |", "| --- | --- |")
    for entry in section:
        for title, value in entry.items() if isinstance(entry, dict) else ():
            if isinstance(value, list):
                yield f"| **{title}** | |"
                yield from (_row(*page, own, docs) for one in value for page in one.items())
            else:
                yield _row(title, value, own, docs)
    yield from ("", "</div>")


def _row(title: str, file: str, own: str, docs: Path) -> str:
    link = posixpath.relpath(file, posixpath.dirname(own))
    return f"| [{title}]({link}) | {first_sentence((docs / file).read_text())} |"


def first_sentence(markdown: str) -> str:
    """Return the first sentence below the title of a page, without its links.

    Examples
    --------
    >>> first_sentence("# Tea\\n\\nYou make [tea](tea.md). Then you drink it.\\n")
    'You make tea.'
    """
    paragraph = _TITLE.split(markdown, maxsplit=1)[1].split("\n\n")[1]
    text = _LINK.sub(r"\1", " ".join(paragraph.split()))
    found = _SENTENCE.match(text)
    return f"{found[0][:-1] if found else text}.".replace("|", r"\|")
