"""Labeltree and other systems on all test rows, measured by `benchmarks.rivals`.

The README and the home page have short tables, docs/reference/measurements has a line for each
system, once with times and once with accuracy.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from benchmarks.pages.places import Picture, Place, Record, Table, Values
from benchmarks.rivals.accuracy import (
    EFFORTS,
    KEYS_OF_PRECISION,
    RARE,
    accuracy_table,
    changes_table,
)
from benchmarks.rivals.claims import factors_table, values
from benchmarks.rivals.figures import COST, QUALITY
from benchmarks.rivals.home import HOME, README, draw_home, summary_table
from benchmarks.rivals.pictures import draw
from benchmarks.rivals.tables import losses_list, rivals_table
from benchmarks.shapes import SHAPES

COMMAND = "benchmarks.rivals"
_OURS = (
    "=labeltree",
    "labeltree, 8-bit weights",
    "labeltree, 2-means tree",
    "labeltree, high effort",
    "labeltree, best effort",
    "labeltree, rare labels first",
    "labeltree, full label weights",
)
_OTHERS = ("omikuji", "napkinXC PLT", "pecos", "libmultilabel")
_RARE = "napkinXC PLT, inverse propensities"  # hours on larger data sets
_VW = "vowpal_wabbit"  # on one data set, because others are more accurate in less time
_FEW = ("=labeltree", "labeltree, 2-means tree", "omikuji, 1 tree", "PECOS XR-Linear")
#: Systems on each data set, and a guess of the minutes.
_PLAN: dict[str, tuple[tuple[str, ...], int]] = {
    "commits-wine": ((*_OURS, *_OTHERS, _RARE), 20),
    "debian-files": ((*_OURS, *_OTHERS, "fastText, hierarchical softmax"), 110),
    "delicious": ((*_OURS, *_OTHERS, _RARE), 5),
    "eurlex-4k": ((*_OURS, *_OTHERS, _RARE, _VW), 25),
    "mediamill": ((*_OURS, *_OTHERS, _RARE), 12),
    "tib-gnd": ((*_OURS, *_OTHERS), 55),
    "wordnet-hypernyms": ((*_OURS, *_OTHERS, _RARE), 25),
    "yso-finna-en": ((*_OURS, *_OTHERS), 90),
    "debian-contents": (_FEW, 15),  # of benchmarks.debian_contents
    "singletons": (_FEW, 3),  # this and the following: of benchmarks.shapes
    "long": (_FEW, 15),
    "wide": (_FEW, 5),
    "dense": (_FEW, 5),
}
FILES = {data: f"rivals-{data}.json" for data in _PLAN}
RUNS = {
    data: f"--data DATA/{data} --timeout 3600 --update --output benchmarks/results/{FILES[data]} "
    f"--systems {shlex.join(systems)}"
    for data, (systems, _) in _PLAN.items()
}
MINUTES = {data: minutes for data, (_, minutes) in _PLAN.items()}
NEEDS = ("rivals",)


def page(records: list[Record]) -> Iterator[Place]:
    """Yield the tables, the lists of what other systems do better, the plots and the numbers."""
    made = [record for record in records if record["data"] in SHAPES]
    real = [record for record in records if record["data"] not in SHAPES]
    with_all = [record for record in real if record["data"] != "debian-contents"]
    yield Table("rivals", summary_table(real, README))
    yield Table("home", summary_table(real, HOME))
    yield Table("benchmarks", "\n\n".join(rivals_table(record) for record in real))
    if made:
        yield Table("shapes", "\n\n".join(rivals_table(record) for record in made))
    yield Table("losses", losses_list(records, COST))
    yield Table("factors", factors_table(real))
    yield Table("accuracy", "\n\n".join(accuracy_table(record) for record in with_all))
    yield Table("accuracy-losses", losses_list(with_all, QUALITY))
    yield Table("accuracy-effort", changes_table(with_all, EFFORTS, KEYS_OF_PRECISION))
    yield Table("accuracy-rare", changes_table(with_all, RARE, ("P@1", "PSP@1")))
    yield Picture("benchmarks.png", draw(with_all))
    yield Picture("home.png", draw_home(real))
    yield Values(dict(values(real)))
