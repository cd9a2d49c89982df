"""The tables and the plot of labeltree and other systems, measured by `benchmarks.rivals`.

The README has one table of the best known systems, and the home page has a short one and a plot of
times; docs/reference/measurements/benchmarks.md has one table for each data set.
"""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.pages.places import Picture, Place, Record, Table
from benchmarks.rivals.home import draw_home, home_table
from benchmarks.rivals.pictures import draw
from benchmarks.rivals.tables import losses_list, rivals_table, short_table


def page(records: list[Record]) -> Iterator[Place]:
    """Yield the tables, the list of what other systems do better, and the plots."""
    yield Table("rivals", short_table(records))
    yield Table("benchmarks", "\n\n".join(rivals_table(record) for record in records))
    yield Table("losses", losses_list(records))
    yield Picture("benchmarks.png", draw(records))
    yield Table("home", home_table(records))
    yield Picture("home.png", draw_home(records))
