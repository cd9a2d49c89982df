"""Tables and the picture of the pages on clusters, from profiles and measurements."""

from __future__ import annotations

from typing import Any

from benchmarks.cluster.profile import Profile
from benchmarks.cluster.simulate import Growth
from benchmarks.machine import ROOT
from benchmarks.markdown import table
from benchmarks.pages.places import Table
from labeltree.planning.cluster import JOB_SECONDS

PICTURE = ROOT / "docs" / "images" / "cluster.png"
N_WORKERS = (1, 2, 4, 8, 16, 32, 64)
HOUR = 3600.0
START = 10.0  # seconds until workers have imported labeltree


def write(found: dict[str, Any]) -> None:
    """Write the tables that there are figures for."""
    growths = by_shape([Profile.from_dict(one) for one in found["profiles"]])
    tables = [Table("scaling", scaling(growths)), Table("shares", shares(growths))]
    for name, table_of in (("check", checked), ("measured", measured), ("memory", memory)):
        if name in found:
            tables.append(Table(name, table_of(found[name])))
    for one in tables:
        one.write()
    draw(growths)


def by_shape(profiles: list[Profile]) -> list[Growth]:
    """Return how each shape grows, from its profiles of some rows and of all rows."""
    shapes: dict[str, list[Profile]] = {}
    for one in sorted(profiles, key=lambda one: one.n_rows):
        shapes.setdefault(one.name, []).append(one)
    return [Growth(own[0], own[-1]) for own in shapes.values()]


def scaling(growths: list[Growth]) -> str:
    """Return the efficiency of each shape for numbers of workers."""
    rows = []
    for one in growths:
        found = [one.efficiency(n, HOUR, JOB_SECONDS, START) for n in N_WORKERS]
        n_rows = one.every.n_rows * one.growth_to(HOUR)
        shape = f"{one.every.name}: {n_rows / 1e6:.0f} million rows, {one.every.n_labels:,} labels"
        rows.append([shape, *(f"{value:.2f}" for value in found)])
    return table(["data", *(str(n) for n in N_WORKERS)], rows)


def shares(growths: list[Growth]) -> str:
    """Return which share of the CPU time of an hour each part takes."""
    rows = []
    for one in growths:
        growth = one.growth_to(HOUR)
        factors, parts = one.factors(growth), one.every.parts()
        cells = [f"{100 * factors[part] * parts[part] / HOUR:.1f}" for part in parts]
        longest = factors["nodes"] * max(one.every.runs[-1].jobs)
        measured = f"{one.some.total:.1f} / {one.every.total:.1f}"
        rows.append([one.every.name, measured, *cells, f"{100 * longest / HOUR:.1f}"])
    header = [f"{part}, %" for part in growths[0].every.parts()]
    return table(["data", "half / all rows, CPU s", *header, "longest job, %"], rows)


def memory(found: dict[str, Any]) -> str:
    """Return the memory of a worker with and without a limit."""
    rows = []
    for key in ("limited", "unlimited"):
        fit = found[key]
        limit = "none" if fit["max_memory"] is None else f"{fit['max_memory'] / 1e6:.0f} MB"
        rows.append([limit, f"{fit['peak_bytes'] / 1e6:.0f} MB", f"{fit['cpu_seconds']:.0f}"])
    return table(["`max_memory`", "peak of the worker", "CPU s of the worker"], rows)


def measured(found: dict[str, Any]) -> str:
    """Return measured times on one machine."""
    rows = []
    for name in ("one process", "nodes: 1", "nodes: 2"):
        fit = found[name]
        cpu = fit["driver_cpu_seconds"] + fit["job_cpu_seconds"]
        cells = [f"{fit[key]:.1f}" for key in ("seconds", "training_seconds", "driver_cpu_seconds")]
        rows.append([name, *cells, f"{fit['job_cpu_seconds']:.1f}", f"{cpu:.1f}"])
    header = ["", "fit, s", "of it training, s", "driver, CPU s", "jobs, CPU s", "sum, CPU s"]
    return table(header, rows)


def checked(found: list[list[float]]) -> str:
    """Return measured and simulated times of the same jobs."""
    rows = [[f"{n:.0f}", f"{measured:.1f}", f"{made:.1f}"] for n, measured, made in found]
    return table(["nodes", "measured, s", "simulated, s"], rows, n_text=0)


def draw(growths: list[Growth]) -> None:
    """Draw the speed of a fit against the number of workers."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(6, 4))
    axes.plot(N_WORKERS, N_WORKERS, color="0.8", label="ideal")
    for one in growths:
        found = [n * one.efficiency(n, HOUR, JOB_SECONDS, START) for n in N_WORKERS]
        axes.plot(N_WORKERS, found, marker="o", label=one.every.name)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log", base=2)
    axes.set_xticks(N_WORKERS, [str(n) for n in N_WORKERS])
    axes.set_yticks(N_WORKERS, [str(n) for n in N_WORKERS])
    axes.set_xlabel("workers of one core")
    axes.set_ylabel("speed relative to one process")
    axes.legend(frameon=False)
    figure.tight_layout()
    figure.savefig(PICTURE, dpi=120)
