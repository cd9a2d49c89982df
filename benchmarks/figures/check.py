"""Checks that pages show the committed results, that these are of one commit, and nothing else."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

from benchmarks.figures.exceptions import Exceptions
from benchmarks.figures.parts import PAGES
from benchmarks.figures.prose import is_checked, stale, unmarked
from benchmarks.figures.record import commits_of, read
from benchmarks.machine import RESULTS, ROOT
from benchmarks.markdown import value_names
from benchmarks.pages.__main__ import kept, page_module, result_files
from benchmarks.pages.places import (
    IMAGES,
    Document,
    Picture,
    Place,
    Table,
    Values,
    documents,
    drawn_digest,
    saved_digest,
)

#: Markers that other programs write between.
OTHER_MARKERS = {"names": "docs/public_names.py"}
#: Images that are not plots of results.
OTHER_IMAGES = {
    "explain.png": "an example of labeltree.plot, made by examples/explain.py",
    "plot-*.png": "examples of labeltree.plot, made by the reference",
    "serve-*.png": "the page of labeltree serve",
}
_DIFFERS = "differs from the results; run python -m benchmarks.figures write"
_BEGIN = re.compile(r"<!-- ([\w-]+):begin -->")
_HASH = re.compile(r"\b(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,12}\b")


@dataclass(frozen=True)
class Pages:
    """The documents, and everything that page modules write into them."""

    root: Path
    texts: dict[str, str]
    places: list[Place]

    @classmethod
    def read(cls, root: Path = ROOT) -> Pages:
        """Return the pages of a working tree, with the places made of its results."""
        texts = {path.relative_to(root).as_posix(): path.read_text() for path in documents(root)}
        places = [
            place
            for name in PAGES
            if (records := kept(name))
            for place in page_module(name).page(records)
        ]
        return cls(root, texts, places)


def place_problems(pages: Pages) -> Iterator[str]:
    """Yield places that no module writes, and texts that differ from the results."""
    markers = {place.marker for place in pages.places if isinstance(place, Table)}
    names = {name for place in pages.places if isinstance(place, Values) for name in place.texts}
    for page, text in pages.texts.items():
        for marker in _BEGIN.findall(text):
            if marker not in markers and marker not in OTHER_MARKERS:
                yield f"{page}: no page module writes the table {marker!r}"
        for name in value_names(text):
            if name not in names:
                yield f"{page}: no page module has the figure {name!r}"
        for place in pages.places:
            if isinstance(place, Table) and place.filled(text) not in (None, text):
                yield f"{page}: the table {place.marker!r} {_DIFFERS}"
            if isinstance(place, Values) and (filled := place.filled(text)) not in (None, text):
                yield f"{page}: {_first_difference(text, filled or '')} {_DIFFERS}"
            if isinstance(place, Document) and place.file == page and place.text != text:
                yield f"{page}: the output of commands {_DIFFERS}"


def _first_difference(text: str, filled: str) -> str:
    pairs = zip(text.splitlines(), filled.splitlines(), strict=False)
    return repr(next(line for line, other in pairs if line != other))


def picture_problems(pages: Pages) -> Iterator[str]:
    """Yield plots that show something else than the results, and images of unknown origin."""
    drawn = {place.file: place.figure for place in pages.places if isinstance(place, Picture)}
    for path in sorted((pages.root / IMAGES).glob("*.[ps][nv]g")):
        if any(fnmatch(path.name, pattern) for pattern in OTHER_IMAGES):
            continue
        if path.name not in drawn:
            yield f"{path.name}: no page module draws it"
        elif saved_digest(path) != drawn_digest(drawn[path.name]):
            yield f"{path.name} {_DIFFERS}"


def commit_problems(results: Path, exceptions: Exceptions, files: list[str]) -> Iterator[str]:
    """Yield results of another commit than the others that are not exceptions."""
    common: dict[str, list[str]] = {}
    for file in files:
        named = commits_of(read(results / file))
        for commit in sorted(named - exceptions.commits(file)):
            common.setdefault(commit, []).append(file)
        if unneeded := exceptions.commits(file) - named:
            yield f"{file} no longer names {', '.join(sorted(unneeded))}: remove the exception"
    if len(common) > 1:
        listed = "; ".join(f"{commit} ({', '.join(found)})" for commit, found in common.items())
        yield f"results must be of one commit, but are of {listed}: measure again, or name a reason"


def cited_problems(pages: Pages, known: set[str], quoted: Collection[str]) -> Iterator[str]:
    """Yield commits that pages cite and neither results nor exceptions name."""
    cited = {page: set(_HASH.findall(text)) for page, text in pages.texts.items()}
    for page, commits in cited.items():
        for commit in sorted(commits - known - set(quoted)):
            yield f"{page}: it cites commit {commit}, which no results name"
    for commit in sorted(set(quoted) - set().union(*cited.values())):
        yield f"no page cites {commit}: remove the exception"


def prose_problems(pages: Pages) -> Iterator[str]:
    """Yield numbers with units in running text that are neither figures nor allowed."""
    for page, text in pages.texts.items():
        if is_checked(page):
            for claim in unmarked(text):
                yield f"{page}: {claim!r} must be a figure (<!-- figure: NAME -->) or be allowed"


def stale_problems(pages: Pages) -> Iterator[str]:
    """Yield phrases that are allowed and on no page."""
    for phrase in stale(text for page, text in pages.texts.items() if is_checked(page)):
        yield f"no page has {phrase!r}: remove it from benchmarks/figures/allowed.py"


def cited_files() -> list[str]:
    """Return the results files that pages show."""
    return [path.name for name in PAGES for path in result_files(name)]


def problems(root: Path = ROOT) -> list[str]:
    """Return everything that is wrong."""
    pages, files = Pages.read(root), cited_files()
    exceptions = Exceptions.read()
    known = set().union(*(commits_of(read(RESULTS / file), with_others=True) for file in files))
    return [
        *place_problems(pages),
        *picture_problems(pages),
        *commit_problems(RESULTS, exceptions, files),
        *cited_problems(pages, known, exceptions.quoted),
        *prose_problems(pages),
        *stale_problems(pages),
    ]
