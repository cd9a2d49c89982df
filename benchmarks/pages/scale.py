"""How training, memory, prediction and the cost of the tree grow with labels and rows.

Labels grow at a fixed number of rows, rows at a fixed number of labels, and both together at a
fixed number of rows per label, in steps of √10; rows come from `benchmarks.generator`. Every size
is trained in a separate process on one thread.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from concurrent.futures.process import BrokenProcessPool
from typing import Any

import numpy as np

from benchmarks.generator import Generator
from benchmarks.pages.growth import plots, tables, values
from benchmarks.pages.places import Picture, Place, Record, Table, Values
from benchmarks.processes import in_new_process
from benchmarks.rivals.worker import Clock, forget_peak, memory
from labeltree import PLTClassifier, cost, metrics

N_TEST = 2000
_TEST_BLOCK = 1 << 20  # where the test rows start, far from all training rows
N_SINGLE = 500
K = 5
THRESHOLD = 0.5
ROWS_PER_LABEL = 10  # where both grow
SWEEPS = ("labels", "rows", "both")  # what grows


def sizes(smallest: int, largest: int) -> list[int]:
    """Return whole numbers from `smallest` to `largest`, each about √10 times the one before.

    Examples
    --------
    >>> sizes(1000, 100_000)
    [1000, 3162, 10000, 31623, 100000]
    """
    found = [round(smallest * 10 ** (step / 2)) for step in range(64)]
    return [size for size in found if size <= largest]


def measure_size(n_labels: int, n_rows: int, tree: str, *, seed: int = 0) -> dict[str, Any]:
    """Return the figures of one size."""
    generator = Generator(n_labels, seed=seed)
    X, Y = generator.rows(n_rows)
    X_test, Y_test = generator.rows(N_TEST, first_block=_TEST_BLOCK)
    forget_peak()
    base = memory("VmRSS")
    clock = Clock()
    model = PLTClassifier(tree=tree, n_jobs=1, random_state=seed).fit(X, Y)
    wall, cpu = clock.seconds()
    peak = memory("VmHWM")
    return {
        "n_labels": n_labels,
        "n_rows": n_rows,
        "tree": tree,
        "n_seen": int(np.count_nonzero(Y.counts)),
        "labels_per_row": round(len(Y.indices) / n_rows, 3),
        "features_per_row": round(X.nnz / n_rows, 2),
        "cost_per_row": round(cost.training_cost(model.tree_, Y) / n_rows, 3),
        "bound_per_row": round(cost.lower_bound(Y) / n_rows, 3),
        "n_nodes": model.tree_.n_nodes,
        "depth": model.tree_.depth,
        "train_wall_s": round(wall, 3),
        "train_cpu_s": round(cpu, 3),
        "train_over_data_mb": round(peak - base, 1),
        **predictions(model, X_test, Y_test),
    }


def predictions(model: PLTClassifier, X: Any, Y: Any) -> dict[str, Any]:
    """Return the cost and accuracy of predictions for rows that were not in training."""
    model.top_k(X[:20], K)
    seconds = []
    for _ in range(3):
        clock = Clock()
        labels, _ = model.top_k(X, K)
        seconds.append(clock.seconds()[1])
    rows = [X[i : i + 1] for i in range(N_SINGLE)]
    times = np.zeros(N_SINGLE)
    for i, row in enumerate(rows):
        start = time.perf_counter_ns()
        model.top_k(row, K)
        times[i] = time.perf_counter_ns() - start
    return {
        "batch_us": round(float(np.median(seconds)) / X.shape[0] * 1e6, 2),
        "single_p50_us": round(float(np.median(times)) / 1000, 1),
        "calls_top_5": round(float(model.prediction_cost(X, k=K).mean()), 2),
        "calls_threshold": round(float(model.prediction_cost(X, threshold=THRESHOLD).mean()), 2),
        "cost_of_test_row": round(cost.training_cost(model.tree_, Y) / Y.n_rows, 3),
        "P@1": round(100 * metrics.precision_at_k(Y, labels, 1), 2),
    }


def in_process(timeout_s: float, **size: Any) -> dict[str, Any]:
    """Measure one size in a separate process; a failure becomes the record's error."""
    try:
        return in_new_process(measure_size, timeout_s=timeout_s, **size)
    except TimeoutError:
        return size | {"error": f"more than {timeout_s:g} s"}
    except (MemoryError, BrokenProcessPool) as error:
        return size | {"error": str(error) or "not enough memory"}


def sweeps(asked: Any) -> Iterator[tuple[str, str, list[dict[str, int]]]]:
    """Yield what grows, the figure it is drawn over, and the sizes."""
    labels, rows = sizes(10**3, asked.max_labels), sizes(10**4, asked.max_rows)
    yield "labels", "n_labels", [{"n_labels": m, "n_rows": asked.rows} for m in labels]
    yield "rows", "n_rows", [{"n_labels": asked.labels, "n_rows": n} for n in rows]
    largest = min(asked.max_labels, asked.max_rows // ROWS_PER_LABEL)
    both = [{"n_labels": m, "n_rows": ROWS_PER_LABEL * m} for m in sizes(10**3, largest)]
    yield "both", "n_labels", both


def points(all_sizes: list[dict[str, int]], asked: Any) -> Iterator[dict[str, Any]]:
    """Measure the sizes for each tree, the largest last; a tree that fails is not tried again."""
    for tree in asked.trees:
        for size in all_sizes:
            point = in_process(asked.timeout, **size, tree=tree, seed=asked.random_state)
            print(json.dumps(point), flush=True)
            yield point
            if "error" in point:
                break


RUNS = {name: f"--sweeps {name} --max-labels 1000000 --max-rows 1000000" for name in SWEEPS}
MINUTES = {"labels": 0.7, "rows": 0.9, "both": 1.5}
MINUTES_FROM = dict.fromkeys(RUNS, "CPU times in results")
MINUTES_FROM |= dict.fromkeys(("labels", "rows"), "CPU time, measured once")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the measurement."""
    parser.add_argument("--sweeps", nargs="+", default=list(SWEEPS), choices=SWEEPS)
    parser.add_argument("--max-labels", type=int, default=10**5, help="at least 10³")
    parser.add_argument("--max-rows", type=int, default=10**5, help="at least 10⁴")
    parser.add_argument("--rows", type=int, default=10**5, help="while labels grow")
    parser.add_argument("--labels", type=int, default=10**4, help="while rows grow")
    parser.add_argument("--trees", nargs="+", default=["auto", "cheapest"])
    parser.add_argument("--timeout", type=float, default=900, help="seconds for each size")
    parser.add_argument("--random-state", type=int, default=0)


def measure(asked: argparse.Namespace) -> Iterator[Record]:
    """Measure all sizes up to the limits."""
    for name, over, all_sizes in sweeps(asked):
        if name not in asked.sweeps:
            continue
        found = list(points(all_sizes, asked))
        yield {
            "data": name,
            "seed": asked.random_state,
            "threads": 1,
            "over": over,
            "points": found,
        }


def page(records: list[Record]) -> Iterator[Place]:
    """Yield the tables and the plots."""
    yield Table("scale", tables(records))
    yield Values(dict(values(records)))
    for file, figure in plots(records):
        yield Picture(file, figure)
