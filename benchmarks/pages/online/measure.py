"""Measurement of online learning."""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.machine import ROOT
from benchmarks.pages.online import streams
from benchmarks.pages.online.new_labels import measure_new_labels
from benchmarks.pages.online.new_rows import measure_finish, measure_new_rows
from benchmarks.pages.places import Record
from benchmarks.rivals.environments import NotInstalledError, interpreter, tail
from benchmarks.rivals.systems import RIVALS
from benchmarks.rows import cpu_timed, percent_at
from labeltree import PLTClassifier
from labeltree.data import LabelRows

CACHE = ROOT / "build" / "rivals"
K = 5
SEED = 0
#: The best of 2, 4, 16 and 64 branches on the first 5,000 rows of eurlex-4k.
VOWPAL = {"kary_tree": 16, "loss_function": "logistic", "bit_precision": 26}


def figures(
    stream: streams.Stream,
    learn_s: float,
    progressive_s: float,
    answers: NDArray[Any],
    tests: NDArray[Any],
) -> dict[str, Any]:
    """Return the figures of a system, over all rows and over the last tenth."""
    n = stream.X.shape[0]
    last = np.arange(n - n // 10, n)
    return {
        "learn_rows_per_cpu_s": round(n / learn_s),
        "answer_and_learn_rows_per_cpu_s": round(n / progressive_s),
        "progressive": percent_at(stream.Y, answers),
        "progressive_last_tenth": percent_at(streams.some(stream.Y, last), answers[last]),
        "test": percent_at(stream.Y_test, tests),
    }


def labeltree(stream: streams.Stream, options: dict[str, Any]) -> dict[str, Any]:
    """Return the figures of `partial_fit` and `predict_then_fit`."""
    learner = PLTClassifier(n_jobs=1, online_params=options)
    learn_s, _ = cpu_timed(lambda: learner.partial_fit(stream.X, stream.Y))
    clf = PLTClassifier(n_jobs=1, online_params=options)
    progressive_s, (answers, _) = cpu_timed(lambda: clf.predict_then_fit(stream.X, stream.Y, K))
    tests, _ = clf.top_k(stream.X_test, K)
    named = np.where(answers < 0, -1, clf.classes_[answers])
    made = figures(stream, learn_s, progressive_s, named, tests)
    cost = clf.tree_cost_
    return made | {
        "state_mb": round(clf._fitted.online.native.n_bytes / 1e6),
        "nodes_a_row": round(cost.cost, 1),
        "lower_bound": round(cost.lower_bound, 1),
    }


def batch(stream: streams.Stream) -> dict[str, Any]:
    """Return the figures of a fit on all rows of the stream."""
    seconds, clf = cpu_timed(lambda: PLTClassifier(n_jobs=1).fit(stream.X, stream.Y))
    tests, _ = clf.top_k(stream.X_test, K)
    return {"train_cpu_s": round(seconds, 1), "test": percent_at(stream.Y_test, tests)}


def write_vw(path: Path, X: Any, Y: LabelRows) -> None:
    """Write rows in order, in Vowpal Wabbit's text format."""
    with path.open("w") as file:
        for i in range(X.shape[0]):
            row = slice(X.indptr[i], X.indptr[i + 1])
            pairs = zip(X.indices[row].tolist(), X.data[row].tolist(), strict=True)
            labels = ",".join(map(str, Y.indices[Y.indptr[i] : Y.indptr[i + 1]].tolist()))
            file.write(f"{labels} | " + " ".join(f"{j}:{value:.6g}" for j, value in pairs) + "\n")


def vowpal_wabbit(stream: streams.Stream, cache: Path, timeout_s: float) -> dict[str, Any]:
    """Return its figures, or why there are none."""
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        write_vw(work / "train", stream.X, stream.Y)
        write_vw(work / "test", stream.X_test, stream.Y_test)
        job = {"n_labels": stream.Y.n_labels, "k": K, "settings": VOWPAL}
        job |= {name: str(work / name) for name in ("train", "test", "cache")}
        (work / "job.json").write_text(json.dumps(job))
        try:
            python = interpreter("vowpal_wabbit", RIVALS["vowpal_wabbit"], cache)
            command = [str(python), str(Path(__file__).with_name("vowpal.py"))]
            subprocess.run(
                [*command, str(work / "job.json"), str(work / "result.npz")],
                cwd=ROOT,
                check=True,
                capture_output=True,
                text=True,
                timeout=timeout_s,
            )
        except subprocess.TimeoutExpired:
            return {"error": f"not done after {timeout_s:.0f} s"}
        except NotInstalledError as error:
            return {"error": str(error)}
        except subprocess.CalledProcessError as error:
            return {"error": tail(error.stderr)}
        with np.load(work / "result.npz") as found:
            learn_s, progressive_s = found["seconds"].tolist()
            made = figures(stream, learn_s, progressive_s, found["answers"], found["tests"])
            return made | {"settings": VOWPAL}


def measure_stream(source: str, asked: argparse.Namespace) -> Record:
    """Return the figures of all systems on one stream."""
    stream = streams.of(source, asked.rows, SEED)
    systems: dict[str, Callable[[], dict[str, Any]]] = {
        "labeltree, online": lambda: labeltree(stream, {}),
        "labeltree, online, by score": lambda: labeltree(stream, {"insert": "cost+score"}),
        "Vowpal Wabbit --plt": lambda: vowpal_wabbit(stream, asked.cache, asked.timeout),
        "labeltree, batch": lambda: batch(stream),
    }
    return {
        "kind": "stream",
        "data": stream.name,
        "order": stream.order,
        "rows": stream.X.shape[0],
        "labels": int(np.unique(stream.Y.indices).size),
        "systems": {name: work() for name, work in systems.items()},
    }


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the measurement."""
    parser.add_argument("--data", nargs="*", default=[], help="folders, or changelogs")
    parser.add_argument("--new-labels", type=Path, nargs="*", metavar="FOLDER", default=[])
    parser.add_argument("--new-rows", type=Path, nargs="*", metavar="FOLDER", default=[])
    parser.add_argument("--finish", type=Path, nargs="*", metavar="FOLDER", default=[])
    parser.add_argument("--rows", type=int, help="number of rows to learn (default: all)")
    parser.add_argument(
        "--timeout", type=float, default=900, help="time limit of Vowpal Wabbit in seconds"
    )
    parser.add_argument("--cache", type=Path, default=CACHE)


def measure(asked: argparse.Namespace) -> Iterator[Record]:
    """Yield the figures of the streams, and of new labels and rows."""
    for source in asked.data:
        yield measure_stream(source, asked)
    for folder in asked.new_labels:
        yield {"kind": "new labels", **measure_new_labels(folder)}
    for folder in asked.new_rows:
        yield {"kind": "new rows", **measure_new_rows(folder)}
    for folder in asked.finish:
        yield {"kind": "finish", **measure_finish(folder)}
