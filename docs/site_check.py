"""Check the built site: links, anchors and images, and how pages begin.

MkDocs runs this after each build; a finding is a warning, and warnings are errors (`strict`).
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

_LOG = logging.getLogger("mkdocs.hooks.site_check")
#: Attribute that names a file that the browser loads by itself.
_LOADED = {"img": "src", "script": "src", "iframe": "src", "source": "src", "link": "href"}


@dataclass
class Page(HTMLParser):
    """What a page defines, links to and loads, and how its article begins."""

    ids: set[str] = field(default_factory=set)
    links: list[str] = field(default_factory=list)
    loaded: list[str] = field(default_factory=list)
    #: The tags of headings and paragraphs of the article that have text, in order.
    outline: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()
        self._open = ""
        self._is_article = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Record the ids, links and files of a tag."""
        found = {name: value or "" for name, value in attrs}
        self.ids |= {found[name] for name in ("id", "name") if name in found}
        if tag == "a" and "href" in found:
            self.links.append(found["href"])
        elif tag in _LOADED and _LOADED[tag] in found:
            self.loaded.append(found[_LOADED[tag]])
        self._is_article |= tag == "article"
        if tag in ("p", "h1", "h2"):
            self._open = tag

    def handle_endtag(self, tag: str) -> None:
        """Forget the open heading or paragraph."""
        self._is_article &= tag != "article"
        if tag == self._open:
            self._open = ""

    def handle_data(self, data: str) -> None:
        """Record a heading or paragraph at its first text."""
        if self._open and self._is_article and data.strip():
            self.outline.append(self._open)
            self._open = ""


def on_post_build(config: Any, **_: Any) -> None:
    """Warn of everything that is wrong with the built site."""
    for finding in findings(Path(config.site_dir)):
        _LOG.warning(finding)


def findings(site: Path) -> Iterator[str]:
    """Yield a sentence for each dead link, missing file, foreign file and page without a start."""
    pages = {}
    # The page of an error is served from any address, so its links do not lead from its file.
    for path in sorted(path for path in site.rglob("*.html") if path.name != "404.html"):
        pages[path.resolve()] = page = Page()
        page.feed(path.read_text())
    for path, page in pages.items():
        name = path.relative_to(site.resolve()).as_posix()
        for link in sorted(set(page.links)):
            if problem := _problem(link, path, pages):
                yield f"{name} links to {link}, {problem}"
        for file in sorted(set(page.loaded)):
            if urlsplit(file).netloc:
                yield f"{name} loads {file}, which is on another host"
            elif problem := _problem(file, path, pages):
                yield f"{name} loads {file}, {problem}"
        if page.outline[:2] != ["h1", "p"]:
            yield f"{name} must begin with a title and a paragraph, but begins {page.outline[:2]}"


def _problem(link: str, path: Path, pages: dict[Path, Page]) -> str:
    """Return why a link is dead, or an empty string; addresses of other hosts are not opened."""
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        return ""
    target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    if target.is_dir():
        target = target / "index.html"
    if not target.exists():
        return "which does not exist"
    anchor = unquote(parts.fragment)
    if anchor and target in pages and anchor not in pages[target].ids:
        return "which has no such anchor"
    return ""
