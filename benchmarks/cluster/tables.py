"""Tables and the picture of the pages on clusters, from profiles and measurements."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from benchmarks.cluster.profile import Profile
from benchmarks.cluster.simulate import Growth
from benchmarks.markdown import table
from benchmarks.pages.style import LINES, NORMAL, finish, legend, new_axes
from labeltree.planning.cluster import JOB_SECONDS
from labeltree.plot.style import INK

if TYPE_CHECKING:
    from matplotlib.figure import Figure

N_WORKERS = (1, 2, 4, 8, 16, 32, 64)
HOUR = 3600.0
START = 10.0  # seconds until workers have imported labeltree


def by_shape(profiles: list[dict[str, Any]]) -> list[Growth]:
    """Return how each shape grows, from its profiles of some rows and of all rows."""
    shapes: dict[str, list[Profile]] = {}
    for one in sorted(map(Profile.from_dict, profiles), key=lambda one: one.n_rows):
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
        longest = factors["nodes"] * max(one.runs(growth)[-1].jobs)
        measured = f"{one.some.total:.1f} / {one.every.total:.1f}"
        rows.append([one.every.name, measured, *cells, f"{100 * longest / HOUR:.1f}"])
    header = [f"{part}, %" for part in growths[0].every.parts()]
    return table(["data", "half / all rows, CPU s", *header, "longest job, %"], rows)


def slices(found: list[dict[str, Any]]) -> str:
    """Return the accuracy of fits with slices of the rows of the root."""
    rows = []
    for data in found:
        for name, fit in data["fits"].items():
            cells = [*(f"{value:.2f}" for value in fit["precision"]), f"{fit['cpu_seconds']:.1f}"]
            shape = f"{data['name']}, {data['n_rows'] / data['n_features']:.0f} rows per feature"
            rows.append([shape, name, *cells])
    return table(["data", "fit", "P@1", "P@3", "P@5", "CPU s"], rows, n_text=2)


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


def measured_values(found: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield how much more CPU time one node takes, and how fast two are, against one process."""
    alone, one, two = (found[name] for name in ("one process", "nodes: 1", "nodes: 2"))
    cpu = [fit["driver_cpu_seconds"] + fit["job_cpu_seconds"] for fit in (alone, one)]
    yield "cluster.one_node.more_cpu", f"{round(100 * (cpu[1] / cpu[0] - 1))}"
    yield "cluster.two_nodes.fit", f"{alone['seconds'] / two['seconds']:.2f}"
    training = alone["training_seconds"] / two["training_seconds"]
    yield "cluster.two_nodes.training", f"{training:.2f}"
    yield "cluster.two_nodes.driver_cpu_s", f"{two['driver_cpu_seconds']:.0f}"


def pecos(found: dict[str, float]) -> str:
    """Return the CPU seconds of PECOS and labeltree."""
    return table(["", "CPU s"], [[name, f"{seconds:.1f}"] for name, seconds in found.items()])


def checked(found: list[list[float]]) -> str:
    """Return measured and simulated times of the same jobs."""
    rows = [[f"{n:.0f}", f"{measured:.1f}", f"{made:.1f}"] for n, measured, made in found]
    return table(["nodes", "measured, s", "simulated, s"], rows, n_text=0)


def draw(growths: list[Growth]) -> Figure:
    """Return a figure of the speed of a fit against the number of workers."""
    figure, axes = new_axes(1.4)
    axes.plot(N_WORKERS, N_WORKERS, color=INK, linewidth=1, label="ideal")
    for line, one in zip(LINES, growths, strict=False):
        found = [n * one.efficiency(n, HOUR, JOB_SECONDS, START) for n in N_WORKERS]
        axes.plot(N_WORKERS, found, label=one.every.name, **line)
    for set_scale, axis in ((axes.set_xscale, axes.xaxis), (axes.set_yscale, axes.yaxis)):
        set_scale("log", base=2)
        axis.set_ticks(N_WORKERS, [str(n) for n in N_WORKERS])
    axes.set_xlabel("workers of one core", fontsize=NORMAL)
    axes.set_ylabel("speed relative to one process", fontsize=NORMAL)
    legend(axes)
    finish(axes, "Speed against workers", grid="both")
    return figure
