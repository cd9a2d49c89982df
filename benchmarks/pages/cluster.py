"""The tables and the plot of docs/how-to/cluster.md, measured by `benchmarks.cluster`."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.cluster import tables
from benchmarks.pages.places import Picture, Place, Record, Table, Values

COMMAND = "benchmarks.cluster"
RUNS = {
    "profile": "profile --data DATA/tib-gnd",
    "slices": "slices --data DATA/tib-gnd",
    "check": "check",
    "measure": """measure --data DATA/tib-gnd --options '{"effort": "best"}'""",
    "memory": "memory --data DATA/eurlex-4k",
}
MINUTES = 10
NEEDS = {run: ("ray", "two cores") if run == "measure" else ("ray",) for run in RUNS}


def page(records: list[Record]) -> Iterator[Place]:
    """Yield a table of each step that there are figures for, and the plot."""
    for record in records:
        growths = tables.by_shape(record["profiles"])
        yield Table("scaling", tables.scaling(growths))
        yield Table("shares", tables.shares(growths))
        for step, written in (
            ("slices", tables.slices),
            ("check", tables.checked),
            ("measured", tables.measured),
            ("memory", tables.memory),
            ("pecos", tables.pecos),
        ):
            if step in record:
                yield Table(step, written(record[step]))
        if "measured" in record:
            yield Values(dict(tables.measured_values(record["measured"])))
        if "memory" in record:
            yield Values({"cluster.memory.x_mb": f"{record['memory']['x_bytes'] / 1e6:.0f}"})
        yield Picture("cluster.png", tables.draw(growths))
