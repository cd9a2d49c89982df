"""The tables and the plot of labeltree and other systems, measured by `benchmarks.rivals`.

The README has one table of the best known systems, and the home page has a short one and a plot of
times; docs/reference/measurements/benchmarks.md has one table for each data set.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from benchmarks.pages.places import Picture, Place, Record, Table, Values
from benchmarks.rivals.claims import factors_table, values
from benchmarks.rivals.home import draw_home, home_table
from benchmarks.rivals.pictures import draw
from benchmarks.rivals.tables import losses_list, rivals_table, short_table

COMMAND = "benchmarks.rivals"
#: Systems of the larger data sets, on which others need hours.
_FAST = (
    "labeltree",
    "omikuji, 1 tree",
    "napkinXC PLT",
    "PECOS XR-Linear",
    "Vowpal Wabbit --plt",
    "LibMultiLabel tree",
)
_ALONE = "=labeltree", "omikuji, 1 tree", "PECOS XR-Linear"
#: Systems on each data set; all if there are none.
_SYSTEMS = {
    "eurlex-4k": (),
    "tib-gnd": (*_FAST, "omikuji, 3 trees (default)"),
    "yso-finna-en": _FAST,
    "debian-files": (*_FAST, "fastText, hierarchical softmax"),
    "debian-contents": _ALONE,
}
FILES = {data: f"rivals-{data}.json" for data in _SYSTEMS}
RUNS = {
    data: f"--data DATA/{data} --update --output benchmarks/results/{FILES[data]}"
    + ("" if data == "eurlex-4k" else " --test-rows 5000")
    + (f" --systems {shlex.join(systems)}" if systems else "")
    for data, systems in _SYSTEMS.items()
}
MINUTES = {
    "eurlex-4k": 45,
    "tib-gnd": 40,
    "yso-finna-en": 55,
    "debian-files": 60,
    "debian-contents": 40,
}
NEEDS = ("rivals",)


def page(records: list[Record]) -> Iterator[Place]:
    """Yield the tables, the list of what other systems do better, the plots and the factors."""
    yield Table("rivals", short_table(records))
    yield Table("benchmarks", "\n\n".join(rivals_table(record) for record in records))
    yield Table("losses", losses_list(records))
    yield Table("factors", factors_table(records))
    yield Picture("benchmarks.png", draw(records))
    yield Table("home", home_table(records))
    yield Picture("home.png", draw_home(records))
    yield Values(dict(values(records)))
