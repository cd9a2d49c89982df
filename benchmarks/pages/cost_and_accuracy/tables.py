"""The tables and plots of the page."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.pages.places import Place, Record


def page(records: list[Record]) -> Iterator[Place]:
    """Yield the tables and plots."""
    yield from ()
