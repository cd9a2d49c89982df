"""Tables and plots of the documentation, and the places they are written to."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.machine import ROOT
from benchmarks.markdown import fill, has_place

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Record = dict[str, Any]


@dataclass(frozen=True)
class Table:
    """Markdown between the markers of a name, in every document that has them."""

    marker: str
    text: str

    def write(self, root: Path = ROOT) -> list[str]:
        """Fill all documents that have the markers, and return their names."""
        filled = []
        for path in [root / "README.md", *sorted((root / "docs").rglob("*.md"))]:
            document = path.read_text()
            if has_place(document, self.marker):
                path.write_text(fill(document, self.marker, self.text))
                filled.append(path.relative_to(root).as_posix())
        return filled


@dataclass(frozen=True)
class Picture:
    """A figure and its file in docs/images."""

    file: str
    figure: Figure

    def write(self, root: Path = ROOT) -> list[str]:
        """Save the figure, and return its name."""
        import matplotlib as mpl

        path = root / "docs" / "images" / self.file
        # The same figure is the same file, without the date and random names of an SVG.
        with mpl.rc_context({"svg.hashsalt": self.file}):
            metadata = {"Date": None} if path.suffix == ".svg" else None
            self.figure.savefig(path, dpi=110, metadata=metadata)
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


Place = Table | Picture | Document


def measured_on(record: Record, more: str = "one thread") -> str:
    """Return the commit and processor of a record as text."""
    where = record["machine"]
    return f"Commit {where['commit']}, {where['processor']}, {more}."
