"""The parts of the figures, derived from the modules of the pages."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.pages.__main__ import MEASURED, WRITTEN, page_module

PAGES = (*MEASURED, *WRITTEN)
GUESS = "guess"
_DATA = "DATA/"


@dataclass(frozen=True)
class Part:
    """One run of a measurement.

    Parameters
    ----------
    page, run
        Names of the page and of the run.
    module
        What Python runs.
    arguments
        Its arguments; DATA/NAME is a data set.
    file
        The results file.
    minutes
        Minutes, used until a run is recorded.
    source
        Where the minutes come from.
    needs
        What it needs beside data sets.
    """

    page: str
    run: str
    module: str
    arguments: tuple[str, ...]
    file: str
    minutes: float = 1.0
    source: str = GUESS
    needs: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The name of the part."""
        return f"{self.page} {self.run}"

    def data_sets(self) -> list[str]:
        """Return the names of the data sets.

        Examples
        --------
        >>> Part("trees", "a", "benchmarks.pages", ("trees", "DATA/a"), "trees.json").data_sets()
        ['a']
        """
        words = dict.fromkeys(word for word in self.arguments if word.startswith(_DATA))
        return [word.removeprefix(_DATA) for word in words]

    def command(self, data: Path) -> list[str]:
        """Return the arguments of Python, with the folder of data sets."""
        words = [
            str(data / word.removeprefix(_DATA)) if word.startswith(_DATA) else word
            for word in self.arguments
        ]
        return ["-m", self.module, *words]


def all_parts(pages: Iterable[str] = PAGES) -> list[Part]:
    """Return the parts of all pages that are measured."""
    return [part for page in pages for part in _parts_of(page, page_module(page))]


def _parts_of(page: str, module: Any) -> Iterator[Part]:
    command = getattr(module, "COMMAND", "benchmarks.pages")
    first = (page,) if command == "benchmarks.pages" else ()
    runs = getattr(module, "RUNS", {"all": ""} if page in MEASURED else {})
    for run, arguments in runs.items():
        yield Part(
            page,
            run,
            command,
            (*first, *shlex.split(arguments)),
            getattr(module, "FILES", {}).get(run, f"{page}.json"),
            _of_run(getattr(module, "MINUTES", 1), run),
            _of_run(getattr(module, "MINUTES_FROM", GUESS), run),
            _of_run(getattr(module, "NEEDS", ()), run),
        )


def _of_run(value: Any, run: str) -> Any:
    """Return what a module says of a run, if it says it run by run."""
    return value[run] if isinstance(value, Mapping) else value


def named(parts: list[Part], words: list[str], without: Sequence[str] = ()) -> list[Part]:
    """Return the parts with these names or of these pages; all but some if there are no words."""
    known = {word for part in parts for word in (part.page, part.name)}
    for word in (*words, *without):
        if word not in known:
            pages = ", ".join(dict.fromkeys(part.page for part in parts))
            raise ValueError(
                f"PART must be a page ({pages}) or a part as `plan` lists it, but is {word!r}"
            )
    chosen = [part for part in parts if not words or {part.page, part.name} & set(words)]
    return [part for part in chosen if not {part.page, part.name} & set(without)]
