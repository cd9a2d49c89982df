"""Tables and the picture of docs/cluster.md, from profiles and measurements."""

from __future__ import annotations

from typing import Any

from benchmarks.cluster.profile import Profile
from benchmarks.cluster.simulate import efficiency, fit_seconds, nearest
from benchmarks.machine import ROOT
from benchmarks.markdown import fill, table

PAGE = ROOT / "docs" / "cluster.md"
PICTURE = ROOT / "docs" / "images" / "cluster.png"
N_WORKERS = (1, 2, 4, 8, 16, 32, 64)
HOURS = 1.0
PER_JOB = 0.005  # seconds from the driver to a worker and back, by measurement
START = 10.0  # seconds until workers have imported labeltree


def write(found: dict[str, Any]) -> None:
    """Write the tables that there are figures for."""
    profiles = [Profile.from_dict(one) for one in found["profiles"]]
    text = PAGE.read_text()
    text = fill(text, "scaling", scaling(profiles))
    text = fill(text, "shares", shares(profiles))
    if "measured" in found:
        text = fill(text, "measured", measured(found["measured"], profiles))
    PAGE.write_text(text)
    draw(profiles)


def by_shape(profiles: list[Profile]) -> dict[str, list[Profile]]:
    """Return the profiles of each shape."""
    shapes: dict[str, list[Profile]] = {}
    for one in profiles:
        shapes.setdefault(one.name, []).append(one)
    return shapes


def scaling(profiles: list[Profile]) -> str:
    """Return the efficiency of each shape for numbers of workers."""
    rows = []
    for name, own in by_shape(profiles).items():
        found = [efficiency(nearest(own, n), n, PER_JOB, START, HOURS) for n in N_WORKERS]
        shape = f"{name}: {own[0].n_rows:,} rows, {own[0].n_labels:,} labels"
        rows.append([shape, *(f"{value:.2f}" for value in found)])
    return table(["data", *(str(n) for n in N_WORKERS)], rows)


def shares(profiles: list[Profile]) -> str:
    """Return which share of the CPU time each part of a fit takes."""
    rows = []
    for name, own in by_shape(profiles).items():
        one = nearest(own, 16)
        trees = sum(sum(run.jobs) for run in one.runs) - one.training
        longest = max(max(run.jobs) for run in one.runs if run.name == "PackTraining")
        parts = (one.training, trees, one.layout_seconds, one.driver_seconds, longest)
        rows.append(
            [name, f"{one.total:.1f}", *(f"{100 * part / one.total:.1f}" for part in parts)]
        )
    header = ["data", "CPU s", "nodes, %", "trees, %", "layout, %", "driver, %", "longest job, %"]
    return table(header, rows)


def measured(found: dict[str, Any], profiles: list[Profile]) -> str:
    """Return measured times on one machine, beside simulated ones."""
    rows = []
    for name in ("one process", "nodes: 1", "nodes: 2"):
        fit = found[name]
        cpu = fit["driver_cpu_seconds"] + fit["job_cpu_seconds"]
        cells = [f"{fit[key]:.1f}" for key in ("seconds", "training_seconds", "driver_cpu_seconds")]
        rows.append([name, *cells, f"{fit['job_cpu_seconds']:.1f}", f"{cpu:.1f}"])
    header = ["", "fit, s", "of it training, s", "driver, CPU s", "jobs, CPU s", "sum, CPU s"]
    return table(header, rows)


def simulated(profiles: list[Profile], n_workers: int) -> float:
    """Return the simulated seconds of a fit as it was profiled."""
    return fit_seconds(nearest(profiles, n_workers), n_workers, PER_JOB)


def draw(profiles: list[Profile]) -> None:
    """Draw the speed of a fit against the number of workers."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(6, 4))
    axes.plot(N_WORKERS, N_WORKERS, color="0.8", label="ideal")
    for name, own in by_shape(profiles).items():
        found = [n * efficiency(nearest(own, n), n, PER_JOB, START, HOURS) for n in N_WORKERS]
        axes.plot(N_WORKERS, found, marker="o", label=name)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log", base=2)
    axes.set_xticks(N_WORKERS, [str(n) for n in N_WORKERS])
    axes.set_yticks(N_WORKERS, [str(n) for n in N_WORKERS])
    axes.set_xlabel("workers of one core")
    axes.set_ylabel("speed relative to one process")
    axes.legend(frameon=False)
    figure.tight_layout()
    figure.savefig(PICTURE, dpi=120)
