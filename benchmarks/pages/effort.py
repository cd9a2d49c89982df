"""Accuracy, times and size of each level of effort, on rows held out from training.

The rows of X.trn.npz are split into training and validation rows; test rows are not used. Times are
CPU seconds on one thread.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.markdown import at_ranks, table
from benchmarks.pages.places import Place, Record, Table, Values, measured_on
from benchmarks.rows import cpu_timed, percent_at, read_rows, shuffled_split
from labeltree import PLTClassifier
from labeltree.data import LabelRows, as_features

EFFORTS = ("fast", "default", "high", "best")
MAX_HELD_OUT = 4000
HELD_OUT = 0.15
N_RUNS = 3
K = 5
RUNS = {
    "eurlex-4k": "DATA/eurlex-4k",
    "tib-gnd": "DATA/tib-gnd --max-rows 50000",
    "wordnet-hypernyms": "DATA/wordnet-hypernyms",
    "yso-finna-en": "DATA/yso-finna-en --max-rows 100000",
    "commits-wine": "DATA/commits-wine",
    "commits-wine by time": "DATA/commits-wine --last",
    "debian-files": "DATA/debian-files --max-rows 150000",
    "delicious": "DATA/delicious",
    "mediamill": "DATA/mediamill",
}
MINUTES = {
    "eurlex-4k": 0.4,
    "tib-gnd": 1.9,
    "wordnet-hypernyms": 0.6,
    "yso-finna-en": 0.9,
    "commits-wine": 0.6,
    "commits-wine by time": 0.6,
    "debian-files": 0.6,
    "delicious": 0.2,
    "mediamill": 0.3,
}
MINUTES_FROM = dict.fromkeys(RUNS, "CPU times in results")
MINUTES_FROM |= dict.fromkeys(("eurlex-4k",), "CPU time, measured once")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the measurement."""
    parser.add_argument("folder", type=Path)
    parser.add_argument("--max-rows", type=int, help="maximum number of training rows")
    parser.add_argument("--last", action="store_true", help="hold out the last rows")


def measure(asked: argparse.Namespace) -> Iterator[Record]:
    """Yield the figures of all levels of effort."""
    X, Y = read_rows(asked.folder)
    n_held = min(MAX_HELD_OUT, int(HELD_OUT * Y.n_rows))
    if asked.last:
        rest, held = np.split(np.arange(Y.n_rows), [Y.n_rows - n_held])
    else:
        held, rest = shuffled_split(Y.n_rows, n_held)
    name = asked.folder.name + (", by time" if asked.last else "")
    if asked.max_rows is not None and asked.max_rows < len(rest):
        rest = np.sort(np.random.default_rng(0).choice(rest, asked.max_rows, replace=False))
        name += f", {asked.max_rows:,} rows"
    held = held[np.diff(Y.indptr)[held] > 0]
    parts = [(as_features(X[rows]), Y.select(rows)) for rows in (rest, held)]
    efforts = {effort: figures(effort, *parts) for effort in EFFORTS}
    yield {"data": name, "n_held_out": len(held), "efforts": efforts}


def figures(
    effort: str, train: tuple[Any, LabelRows], held: tuple[Any, LabelRows]
) -> dict[str, Any]:
    """Return accuracy, times and size of one level."""
    training, model = cpu_timed(lambda: PLTClassifier(effort=effort, n_jobs=1).fit(*train))
    X, Y = held
    found = [cpu_timed(lambda: model.top_k(X, K)) for _ in range(N_RUNS)]
    with tempfile.TemporaryDirectory() as folder:
        model.save(f"{folder}/model.lt")
        n_bytes = Path(folder, "model.lt").stat().st_size
    return {
        "P": percent_at(Y, found[0][1][0], 2),
        "train_cpu_s": round(training, 2),
        "batch_us": round(min(seconds for seconds, _ in found) / Y.n_rows * 1e6, 1),
        "model_mb": round(n_bytes / 1e6, 1),
    }


def page(records: list[Record]) -> Iterator[Place]:
    """Yield the table, and what the best effort gains."""
    rows = [
        [one["data"], *(_cell(one["efforts"][effort]) for effort in EFFORTS)] for one in records
    ]
    header = ["P@1 / 3 / 5 · training · prediction · model", *(f'`"{name}"`' for name in EFFORTS)]
    held = [one["n_held_out"] for one in records if "n_held_out" in one]
    size = f", {min(held):,} to {max(held):,} rows held out" if held else ""
    where = measured_on(records, f"one thread{size}")
    yield Table("effort", f"{table(header, rows)}\n\n{where}")
    gains = [
        float(np.mean(one["efforts"]["best"]["P"]) - np.mean(one["efforts"]["default"]["P"]))
        for one in records
    ]
    yield Values(
        {
            "effort.best.gain.least": f"{min(gains):.1f}",
            "effort.best.gain.most": f"{max(gains):.1f}",
        }
    )


def _cell(at: dict[str, Any]) -> str:
    size = f"{at['train_cpu_s']:.1f} s · {at['batch_us']:.0f} µs · {at['model_mb']:.0f} MB"
    return f"{at_ranks(at['P'])} · {size}"
