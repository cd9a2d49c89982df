"""How the steps of `fit` and search grow with rows, labels, features per row and labels per row.

One of them grows while the others stay. Rows come from `benchmarks.generator`. Every size is
trained in a separate process on one thread.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from benchmarks.generator import BLOCK, Generator
from benchmarks.markdown import table
from benchmarks.pages.growth import exponent
from benchmarks.pages.places import Place, Record, Table, Values, measured_on
from benchmarks.processes import in_new_process
from benchmarks.rivals.worker import forget_peak, memory
from benchmarks.rows import cpu_timed
from labeltree import PLTClassifier
from labeltree.calibration.methods import learn_held_curve
from labeltree.data import LabelRows
from labeltree.data.row_scaling import RowScaling
from labeltree.model.layout import Layout
from labeltree.model.model import Model
from labeltree.training.feature_weighting import learn_scaling
from labeltree.training.fit import first_calibration
from labeltree.training.forest import Sample
from labeltree.training.inner_split import draw_held
from labeltree.training.jobs import pack_jobs
from labeltree.training.nodes import make_trainer, new_layout
from labeltree.training.parts import Part
from labeltree.training.settings_check import compared_settings

N_TEST = 2000
K = 5
#: What grows, as parameters of `rows_of`, and where the other numbers stay.
SWEEPS: dict[str, list[dict[str, int]]] = {
    "rows": [{"n_rows": n, "n_labels": 10_000} for n in (10_000, 31_623, 100_000, 316_228, 10**6)],
    "labels": [{"n_labels": n} for n in (1000, 10_000, 100_000, 10**6)],
    "features per row": [
        {"n_features_per_row": n, "n_rows": 20_000} for n in (15, 50, 150, 500, 1500)
    ],
    "labels per row": [{"n_labels_per_row": n, "n_rows": 50_000} for n in (1, 3, 10, 30, 100)],
}
#: Steps of `fit`, by what they are called in the table.
STEPS = {
    "weighting": "feature weighting",
    "small_fits": "small fits",
    "tree": "tree",
    "index": "index",
    "nodes": "nodes",
    "layout": "layout",
    "curve": "curve",
}


MINUTES = 2.3
MINUTES_FROM = "CPU times in results"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the measurement."""
    parser.add_argument("--sweeps", nargs="+", default=list(SWEEPS), choices=list(SWEEPS))


def measure(asked: argparse.Namespace) -> Iterator[Record]:
    """Yield the steps of all sizes of each sweep."""
    for sweep in asked.sweeps:
        points = []
        for size in SWEEPS[sweep]:
            points.append(in_new_process(measure_size, **size))
            print(points[-1], flush=True)
        yield {"data": sweep, "points": points}


def rows_of(
    n_rows: int, n_labels: int, n_features_per_row: int, n_labels_per_row: int
) -> tuple[Any, LabelRows, Any]:
    """Return training rows and other rows of these numbers, about."""
    # A quarter of the words of a row are those of its labels and topic.
    own = max(n_features_per_row // 4, 2)
    generator = Generator(
        n_labels,
        labels_per_row=float(n_labels_per_row),
        label_words=max(own // n_labels_per_row, 1),
        topic_words=own,
        common_words=max(n_features_per_row - own, 2),
    )
    X, Y = generator.rows(n_rows)
    return X, Y, generator.rows(N_TEST, first_block=-(-n_rows // BLOCK))[0]


def measure_size(
    n_rows: int = 100_000,
    n_labels: int = 10_000,
    n_features_per_row: int = 15,
    n_labels_per_row: int = 3,
) -> dict[str, Any]:
    """Return the CPU seconds of each step, the memory of training, and the time of searches."""
    X, Y, queries = rows_of(n_rows, n_labels, n_features_per_row, n_labels_per_row)
    forget_peak()
    base = memory("VmRSS")
    seconds, model, scaling = steps(X, Y)
    peak = memory("VmHWM")
    batch, (_, calls) = cpu_timed(
        lambda: model.search(queries, k=K, nodes_per_step=8, scaling=scaling)
    )
    return {
        "rows": Y.n_rows,
        "labels": Y.n_labels,
        "features per row": round(X.nnz / Y.n_rows, 1),
        "labels per row": round(len(Y.indices) / Y.n_rows, 2),
        "steps": {step: round(taken, 3) for step, taken in seconds.items()},
        "memory_mb": round(peak - base, 1),
        "batch_us": round(batch / N_TEST * 1e6, 2),
        "evaluated": round(float(calls.mean()), 1),
    }


def steps(X: Any, Y: LabelRows) -> tuple[dict[str, float], Model, RowScaling]:
    """Return the CPU seconds of each step of a fit, the model, and the scaling of its rows."""
    taken: dict[str, float] = {}
    given = PLTClassifier(n_jobs=1)._settings(None)
    taken["weighting"], scaling = cpu_timed(
        lambda: learn_scaling(X, Y, interactions=given.interactions)
    )
    taken["small_fits"], (scaling, settings) = cpu_timed(
        lambda: compared_settings(X, Y, scaling, given)
    )
    more, X = cpu_timed(lambda: scaling(X))
    taken["weighting"] += more
    sample = Sample(Y, None, 0)
    taken["tree"], [tree] = cpu_timed(lambda: settings.forest.grow(X, [sample], n_jobs=1))
    held = draw_held(Y, None, settings.fraction(Y.kind), 0)
    solver = settings.solver_of(held)
    taken["index"], trainer = cpu_timed(lambda: make_trainer(tree, X, Y, solver, held=held))
    builder = new_layout(tree, X.shape[1], trainer)
    taken["nodes"] = taken["layout"] = 0.0
    for first, last in pack_jobs(trainer.costs(), (), n_workers=1, n_threads=1):
        more, part = cpu_timed(lambda: Part(*trainer.train(first, last, 1)))  # noqa: B023
        taken["nodes"] += more
        taken["layout"] += cpu_timed(lambda: builder.add(*part.weights))[0]  # noqa: B023
    layout = Layout(*builder.finish())
    calibration = first_calibration([tree], [sample], Y.kind, settings)
    model = Model([tree], [layout], solver.loss, X.shape[1], False, calibration)
    taken["curve"], curve = cpu_timed(
        lambda: learn_held_curve(model, X[held], Y.select(held), (), 1)
    )
    return taken, model.calibrated(replace(calibration, curve=curve)), scaling


def page(records: list[Record]) -> Iterator[Place]:
    """Yield a table of each sweep, with the exponent of each step."""
    parts = [f"**More {record['data']}**\n\n{sweep_table(record)}" for record in records]
    yield Table("steps", "\n\n".join([*parts, measured_on(records)]))
    yield Values(dict(values(records)))


def values(records: list[Record]) -> Iterator[tuple[str, str]]:
    """Yield how many times as long each step takes at the last size as at the one before."""
    for record in records:
        before, last = (point["steps"] for point in record["points"][-2:])
        for step in STEPS:
            if before[step] > 0:
                name = f"steps.{record['data'].replace(' ', '-')}.last.{step}"
                yield name, f"{last[step] / before[step]:.1f}"
        for step, power in zip(_names(), exponents(record["data"], record["points"]), strict=True):
            yield f"steps.{record['data'].replace(' ', '-')}.exponent.{step}", power


def _names() -> list[str]:
    return [*STEPS, "fit", "memory_mb", "evaluated", "batch_us"]


def sweep_table(record: Record) -> str:
    """Return the CPU seconds of each step at each size, the largest in bold."""
    sweep, points = record["data"], record["points"]
    rows = []
    for point in points:
        largest = max(point["steps"].values())
        cells = [f"{taken:.2f}" for taken in point["steps"].values()]
        cells = [
            f"**{cell}**" if taken == largest else cell
            for cell, taken in zip(cells, point["steps"].values(), strict=True)
        ]
        rows.append(
            [
                f"{point[sweep]:,}",
                *cells,
                f"{sum(point['steps'].values()):.2f}",
                f"{point['memory_mb']:.0f}",
                f"{point['evaluated']:.0f}",
                f"{point['batch_us']:.1f}",
            ]
        )
    rows.append(["*exponent*", *exponents(sweep, points)])
    header = [sweep, *STEPS.values(), "fit, CPU s", "memory over data, MB", "evaluated, top 5"]
    return table([*header, "batch, µs per row"], rows)


def exponents(sweep: str, points: list[dict[str, Any]]) -> list[str]:
    """Return the exponent of each figure over the larger half of the sizes."""
    later = points[len(points) // 2 - 1 :]
    figures = [{**one["steps"], "fit": sum(one["steps"].values())} | one for one in later]
    sizes = [one[sweep] for one in later]
    return [
        f"{exponent(sizes, [max(one[name], 1e-3) for one in figures]):.2f}" for name in _names()
    ]
