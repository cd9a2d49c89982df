"""Tables and plots of the documentation, and the places they are written to."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.machine import ROOT
from benchmarks.markdown import fill, fill_value, has_place, value_names

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Record = dict[str, Any]
IMAGES = Path("docs") / "images"
DPI = 150
DIGEST = "labeltree-figures"  # the entry in the file of a plot


@dataclass(frozen=True)
class Table:
    """Markdown between the markers of a name, in every document that has them."""

    marker: str
    text: str

    def filled(self, document: str) -> str | None:
        """Return a document with the text in it; None if it has no markers of this name."""
        if not has_place(document, self.marker):
            return None
        return fill(document, self.marker, self.text)

    def write(self, root: Path = ROOT) -> list[str]:
        """Fill all documents that have the markers, and return their names."""
        return write_everywhere(self, root)


@dataclass(frozen=True)
class Values:
    """Numbers in running text, each before the comment `<!-- figure: NAME -->`."""

    texts: Mapping[str, str]  # by name

    def filled(self, document: str) -> str | None:
        """Return a document with the numbers in it; None if it has no comment of these names."""
        names = self.texts.keys() & set(value_names(document))
        for name in names:
            document = fill_value(document, name, self.texts[name])
        return document if names else None

    def write(self, root: Path = ROOT) -> list[str]:
        """Fill all documents that have a comment, and return their names."""
        return write_everywhere(self, root)


@dataclass(frozen=True)
class Picture:
    """A figure and its file in docs/images."""

    file: str
    figure: Figure

    def write(self, root: Path = ROOT) -> list[str]:
        """Save the figure, and return its name."""
        import matplotlib as mpl

        path = root / IMAGES / self.file
        digest = drawn_digest(self.figure)
        # The same figure is the same file, without the date and random names of an SVG.
        metadata = {DIGEST: digest}
        if path.suffix == ".svg":
            metadata = {"Date": None, "Identifier": digest}  # type: ignore[dict-item]
        with mpl.rc_context({"svg.hashsalt": self.file}):
            self.figure.savefig(path, dpi=DPI, metadata=metadata)
        return [path.relative_to(root).as_posix()]


@dataclass(frozen=True)
class Document:
    """A whole document that is rewritten."""

    file: str
    text: str

    def write(self, root: Path = ROOT) -> list[str]:
        """Write the document, and return its name."""
        (root / self.file).write_text(self.text)
        return [self.file]


Place = Table | Values | Picture | Document


def documents(root: Path = ROOT) -> list[Path]:
    """Return all pages that may have places."""
    return [root / "README.md", *sorted((root / "docs").rglob("*.md"))]


def write_everywhere(place: Table | Values, root: Path) -> list[str]:
    """Fill all documents that have a place, and return their names."""
    names = []
    for path in documents(root):
        if (text := place.filled(path.read_text())) is not None:
            path.write_text(text)
            names.append(path.relative_to(root).as_posix())
    return names


def drawn_digest(figure: Figure) -> str:
    """Return a digest of what a figure shows: its points, labels and titles, not their style."""
    shown: list[Any] = []
    for axes in figure.axes:
        shown += [axes.get_title(loc="left"), axes.get_xlabel(), axes.get_ylabel()]
        for line in axes.lines:
            points = np.asarray(line.get_xydata(), np.float64).ravel().tolist()
            shown.append([line.get_label(), *(f"{number:.6g}" for number in points)])
    return hashlib.sha256(json.dumps(shown).encode()).hexdigest()[:16]


def saved_digest(path: Path) -> str | None:
    """Return the digest of what a file shows; None if it was not saved by a page."""
    if path.suffix == ".svg":
        found = re.search("<dc:identifier>(.*?)</dc:identifier>", path.read_text())
        return found and found.group(1)
    from PIL import Image

    with Image.open(path) as image:
        return image.info.get(DIGEST)


def measured_on(records: Record | list[Record], more: str = "one thread") -> str:
    """Return the commits, processors and loads of records as text.

    Examples
    --------
    >>> measured_on({"machine": {"commit": "1234567", "processor": "Abacus", "load": 1.25}})
    'Commit 1234567, Abacus, one thread, load average 1.2.'
    """
    found = [one["machine"] for one in (records if isinstance(records, list) else [records])]
    commits, processors = (
        ", ".join(dict.fromkeys(str(one[key]) for one in found)) for key in ("commit", "processor")
    )
    loads = sorted(one["load"] for one in found if "load" in one)
    ends = dict.fromkeys(f"{load:.1f}" for load in (*loads[:1], *loads[-1:]))
    load = f", load average {' to '.join(ends)}" if ends else ""
    return f"Commit {commits}, {processors}, {more}{load}."
