"""How well `plan` estimates what trees take: estimated and measured figures of ten trees.

Each tree is trained on one thread right after its estimate. Times are CPU seconds.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import kendalltau

from benchmarks.markdown import table
from benchmarks.pages.places import Place, Record, Table, measured_on
from benchmarks.processes import in_new_process
from benchmarks.rivals.worker import forget_peak, memory
from benchmarks.rows import cpu_timed, read_rows, shuffled_split
from labeltree import LabelTree, PLTClassifier, trees
from labeltree.data import LabelRows, as_features
from labeltree.planning.candidates import CANDIDATES, Inputs
from labeltree.planning.resources import Estimator
from labeltree.trees.cost_model import PAPER

Build = Callable[[Inputs], LabelTree]

PLANNED = ("auto", "complete", "huffman", "cheapest", "kmeans", "kmeans16", "kmeans+collapse")
N_BATCH, N_SINGLE, K = 2000, 500, 5
N_RUNS = 3
WITHIN = 1.3
#: Figures by what they are called in the table.
FIGURES = {
    "training_seconds": "training",
    "training_bytes": "memory",
    "model_bytes": "model",
    "query_seconds": "one row",
    "batch_seconds": "batch",
}
#: Data sets that the constants of the estimates were chosen with.
CHOSEN_WITH = (
    "eurlex-4k",
    "delicious",
    "mediamill",
    "wordnet-hypernyms",
    "commits-wine",
    "tib-gnd",
)
SHOWN = "yso-finna-en"  # in full


def _kmeans(arity: int, max_leaf_size: int, *, balanced: bool = True) -> Build:
    return lambda inputs: trees.kmeans(
        inputs.X,
        inputs.rows,
        arity=arity,
        max_leaf_size=max_leaf_size,
        balanced=balanced,
        n_jobs=1,
    )


BUILDS: dict[str, Build] = {
    **{one.name: one.build for one in CANDIDATES if one.name in PLANNED},
    "blend": lambda inputs: trees.blend(inputs.X, inputs.rows, similarity=0.5, n_jobs=1),
    "8-means": _kmeans(8, 50),
    "100-means": _kmeans(100, 100, balanced=False),
}


RUNS = {name: f"DATA/{name}" for name in (*CHOSEN_WITH, SHOWN, "debian-files")}
MINUTES = {
    "eurlex-4k": 0.8,
    "delicious": 0.3,
    "mediamill": 0.4,
    "wordnet-hypernyms": 0.6,
    "commits-wine": 0.5,
    "tib-gnd": 1.2,
    "yso-finna-en": 0.7,
    "debian-files": 0.5,
}
MINUTES_FROM = dict.fromkeys(RUNS, "CPU times in results")
MINUTES_FROM |= dict.fromkeys(("tib-gnd",), "CPU time, measured once")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the measurement."""
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--max-rows", type=int, default=50_000, help="rows drawn from larger sets")


class Rows(NamedTuple):
    """Where rows come from, so that another process can read them."""

    folder: Path
    max_rows: int

    def training(self) -> tuple[Any, LabelRows]:
        """Return the training rows, or as many of them as are wanted."""
        X, Y = read_rows(self.folder)
        if Y.n_rows <= self.max_rows:
            return X, Y
        drawn = shuffled_split(Y.n_rows, self.max_rows)[0]
        return as_features(X[drawn]), Y.select(drawn)

    def queries(self) -> Any:
        """Return some test rows."""
        X = read_rows(self.folder, "tst")[0]
        return as_features(X[shuffled_split(X.shape[0], N_BATCH)[0]])


def measure(asked: argparse.Namespace) -> Iterator[Record]:
    """Yield the figures of all trees on each data set."""
    for folder in asked.folders:
        rows = Rows(folder, asked.max_rows)
        X, Y = rows.training()
        prepared, estimator = cpu_timed(partial(Estimator, X, Y, seed=0))
        inputs = Inputs(X, Y, sweeps=0, random_state=0, n_jobs=1, cost_model=PAPER)
        yield {
            "data": folder.name,
            "n_rows": Y.n_rows,
            "n_labels": Y.n_labels,
            "prepare_cpu_s": round(prepared, 3),
            "trees": [compare(name, inputs, estimator, rows) for name in BUILDS],
        }


def compare(name: str, inputs: Inputs, estimator: Estimator, rows: Rows) -> dict[str, Any]:
    """Return the estimated and the measured figures of one tree."""
    tree = BUILDS[name](inputs)
    seconds, estimated = cpu_timed(lambda: estimator.estimate(tree))
    # In another process, so that no memory that is freed but kept is used.
    measured = in_new_process(fitted, tree, rows)
    print(name, {what: measured[what] / getattr(estimated, what) for what in FIGURES}, flush=True)
    return {
        "tree": name,
        "estimate_cpu_s": round(seconds, 3),
        **{f"estimated_{what}": float(f"{getattr(estimated, what):.4g}") for what in FIGURES},
        **{f"measured_{what}": float(f"{measured[what]:.4g}") for what in FIGURES},
    }


def fitted(tree: LabelTree, rows: Rows) -> dict[str, float]:
    """Return the measured figures of one tree."""
    (X, Y), queries = rows.training(), rows.queries()
    forget_peak()
    base = memory("VmRSS")
    training, model = cpu_timed(lambda: PLTClassifier(tree=tree, n_jobs=1).fit(X, Y))
    peak = memory("VmHWM") - base
    data = 8 * X.nnz + 4 * len(Y.indices) + 16 * Y.n_rows
    batch = [cpu_timed(lambda: model.top_k(queries, K))[0] for _ in range(N_RUNS)]
    singles = [queries[i : i + 1] for i in range(N_SINGLE)]
    single = [cpu_timed(lambda: search_each(model, singles))[0] for _ in range(N_RUNS)]
    return {
        "training_seconds": training,
        "training_bytes": data + peak * 1e6,
        "model_bytes": float(model.model_.native("plans").n_bytes),
        "query_seconds": min(single) / N_SINGLE,
        "batch_seconds": min(batch) / queries.shape[0],
    }


def search_each(model: PLTClassifier, rows: list[Any]) -> None:
    """Search rows one by one."""
    for row in rows:
        model.top_k_row(row.indices, row.data, K)


def ratios(record: Record, what: str) -> Any:
    """Return estimated by measured figures of all trees."""
    pairs = [(tree[f"estimated_{what}"], tree[f"measured_{what}"]) for tree in record["trees"]]
    return np.array([estimated / measured for estimated, measured in pairs])


def rank_correlation(record: Record, what: str) -> float:
    """Return Kendall's τ of the estimated and the measured figures."""
    estimated, measured = (
        [tree[f"{kind}_{what}"] for tree in record["trees"]] for kind in ("estimated", "measured")
    )
    return float(kendalltau(estimated, measured).statistic)


def page(records: list[Record]) -> Iterator[Place]:
    """Yield a summary of all data sets, and all figures of one."""
    yield Table("plans", f"{summary(records)}\n\n{measured_on(records)}")
    for record in records:
        if record["data"] == SHOWN:
            yield Table("plan-figures", figures(record))


def summary(records: list[Record]) -> str:
    """Return how many trees are within 30 %, and Kendall's τ, for each data set and figure."""
    rows = []
    for record in records:
        name = record["data"] + (" *" if record["data"] in CHOSEN_WITH else "")
        rows.append([f"{name}, {record['n_rows']:,} rows"])
        for what in FIGURES:
            found = ratios(record, what)
            n_within = np.count_nonzero((found < WITHIN) & (found > 1 / WITHIN))
            tau = rank_correlation(record, what)
            rows[-1].append(f"{n_within} of {len(found)}, {tau:.2f}")
    return table(["within 30 %, Kendall's τ", *FIGURES.values()], rows)


def figures(record: Record) -> str:
    """Return the estimated and the measured figures of each tree."""
    units = {"seconds": (1.0, "s"), "bytes": (1e6, "MB")}
    rows = []
    for tree in record["trees"]:
        rows.append([tree["tree"]])
        for what in FIGURES:
            scale = 1e-6 if what in ("query_seconds", "batch_seconds") else 0
            scale = scale or units[what.split("_")[1]][0]
            estimated, measured = (tree[f"{kind}_{what}"] for kind in ("estimated", "measured"))
            rows[-1].append(f"{estimated / scale:,.3g} / {measured / scale:,.3g}")
    header = ["estimated / measured", "training, s", "memory, MB", "model, MB", "one row, µs"]
    return table([*header, "batch, µs per row"], rows)
