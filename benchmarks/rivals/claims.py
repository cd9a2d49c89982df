"""What pages claim of the systems in running text: figures, differences, factors and ranges."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from benchmarks.markdown import at_ranks, table
from benchmarks.rivals.figures import OURS, Figures, done, has_queries, is_ours
from benchmarks.rivals.kept import is_one_run

KS = (1, 3, 5)
#: Figures of one system, with the digits that pages show.
_SHOWN = {
    "train_cpu_s": 1,
    "train_over_data_mb": 0,
    "model_mb": 1,
    "single_p50_us": 0,
    "batch_rows_per_cpu_s": 0,
    **{f"P@{k}": 1 for k in KS},
}
_UNKNOWN = "–"
_COMPARED = ("omikuji", "libpecos", "napkinxc")  # packages


def slug(system: str) -> str:
    """Return the name of a system as part of the name of a figure.

    Examples
    --------
    >>> slug("omikuji, 3 trees (default)")
    'omikuji-3-trees'
    """
    return re.sub("[^a-z0-9]+", "-", re.sub(r"\(.*\)", "", system).lower()).strip("-")


def figures_of(run: Figures) -> Iterator[tuple[str, str]]:
    """Yield the figures of each system of a run."""
    for system in done(run):
        for key, digits in _SHOWN.items():
            if key in system:
                name = f"rivals.{run['data']}.{slug(system['system'])}.{key}"
                yield name, f"{system[key]:,.{digits}f}"


def ours_of(run: Figures) -> Figures:
    """Return the default of labeltree."""
    return next(system for system in done(run) if system["system"] == OURS)


def others_of(run: Figures) -> list[Figures]:
    """Return the other systems."""
    return [system for system in done(run) if not is_ours(system)]


def leads_over_best(run: Figures) -> list[float]:
    """Return the points of P@1, P@3 and P@5 by which the default leads the best other system."""
    ours, others = ours_of(run), others_of(run)
    return [ours[f"P@{k}"] - max(other[f"P@{k}"] for other in others) for k in KS]


def factor(ours: Figures, theirs: Figures, key: str) -> float | None:
    """Return how many times as fast the default is; None if the times are of different runs."""
    if not is_one_run(ours, theirs) or key not in ours or key not in theirs:
        return None
    times = ours[key] / theirs[key]
    return float(times if key == "batch_rows_per_cpu_s" else 1 / times)


def factors_table(runs: Sequence[Figures]) -> str:
    """Return a table of the leads in precision, and one of the factors of time."""
    leads = [[run["data"], at_ranks(leads_over_best(run))] for run in runs]
    keys = ("train_cpu_s", "batch_rows_per_cpu_s", "single_p50_us")
    names = dict.fromkeys(
        one["system"] for run in runs for one in others_of(run) if one["package"] in _COMPARED
    )
    ranges = {name: [_range(runs, name, key) for key in keys] for name in names}
    rows = [[name, *cells] for name, cells in ranges.items() if set(cells) != {_UNKNOWN}]
    return "\n\n".join(
        [
            table(["data set", "points of P@1 / 3 / 5 ahead of the best other system"], leads),
            table(["times as fast as", "training", "batches", "one row"], rows),
        ]
    )


def _range(runs: Sequence[Figures], name: str, key: str) -> str:
    found = [
        value
        for run in runs
        for other in others_of(run)
        if other["system"] == name and (value := factor(ours_of(run), other, key)) is not None
    ]
    if not found:
        return _UNKNOWN
    low, high = (
        f"{value:.1f}" if value < 10 else f"{value:.0f}" for value in (min(found), max(found))
    )
    return low if low == high else f"{low} to {high}"


def values(runs: Sequence[Figures]) -> Iterator[tuple[str, str]]:
    """Yield the numbers of docs/explanation/benchmarks.md."""
    for run in runs:
        yield from figures_of(run)
    changes = [
        abs(ours_of(run)[f"P@{k}"] - one[f"P@{k}"])
        for run in runs
        for one in done(run)
        if one["system"] == f"{OURS}, 8-bit weights"
        for k in KS
    ]
    if changes:
        yield "rivals.8-bit.most_points", f"{max(changes):.1f}"
    timed = [run for run in runs if has_queries(run)]
    single = [ours_of(run)["single_p50_us"] for run in timed]
    yield "rivals.single.least", f"{min(single):.0f}"
    yield "rivals.single.most", f"{max(single):.0f}"
    others = [
        (run, [other["single_p50_us"] for other in others_of(run) if "single_p50_us" in other])
        for run in timed
    ]
    fastest = [min(times) / ours_of(run)["single_p50_us"] for run, times in others if times]
    yield "rivals.single.factor.least", f"{min(fastest):.0f}"
    yield "rivals.single.factor.most", f"{max(fastest):.0f}"
    spreads = [
        high - low
        for run in runs
        for low, high in (one["P@1_spread"] for one in others_of(run) if "P@1_spread" in one)
    ]
    if spreads:
        yield "rivals.spread.least", f"{min(spreads):.1f}"
        yield "rivals.spread.most", f"{max(spreads):.1f}"
