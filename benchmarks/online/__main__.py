"""Learning row by row, beside Vowpal Wabbit's --plt and our own batch fit, on one thread.

python -m benchmarks.online --data DATA/eurlex-4k DATA/yso-finna-en changelogs \\
    --output benchmarks/results/online.json
python -m benchmarks.online --new-labels DATA/tib-gnd --update --output ...
python -m benchmarks.online --new-rows DATA/eurlex-4k DATA/tib-gnd --finish DATA/eurlex-4k \\
    --update --output ...

Rows come in random order, those of `changelogs` (Debian's, on this machine) by date. Each is
answered before it is learnt; then test rows are asked. `--new-labels` adds 10,000 labels to a
trained model; `--new-rows` goes on from a trained model in several ways, and `--finish` fits an
online model again.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.machine import machine
from benchmarks.online import streams
from benchmarks.online.new_labels import measure_new_labels
from benchmarks.online.new_rows import measure_finish, measure_new_rows
from benchmarks.rivals.environments import NotInstalledError, interpreter, tail
from benchmarks.rivals.systems import RIVALS
from labeltree import PLTClassifier
from labeltree.data import LabelRows
from labeltree.metrics import precision_at_k

ROOT = Path(__file__).parent.parent.parent
CACHE = ROOT / "build" / "rivals"
K = 5
SEED = 0
#: The best of 2, 4, 16 and 64 branches on the first 5,000 rows of eurlex-4k.
VOWPAL = {"kary_tree": 16, "loss_function": "logistic", "bit_precision": 26}


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Return CPU seconds and what came of them."""
    start = time.process_time()
    made = work()
    return time.process_time() - start, made


def at_k(Y: LabelRows, labels: NDArray[Any]) -> list[float]:
    """Return P@1, P@3 and P@5 in per cent."""
    return [round(100 * precision_at_k(Y, labels, k), 1) for k in (1, 3, 5)]


def figures(
    stream: streams.Stream,
    learn_s: float,
    progressive_s: float,
    answers: NDArray[Any],
    tests: NDArray[Any],
) -> dict[str, Any]:
    """Return what is told of a system; the last tenth shows where learning has arrived."""
    n = stream.X.shape[0]
    last = np.arange(n - n // 10, n)
    return {
        "learn_rows_per_cpu_s": round(n / learn_s),
        "answer_and_learn_rows_per_cpu_s": round(n / progressive_s),
        "progressive": at_k(stream.Y, answers),
        "progressive_last_tenth": at_k(streams.some(stream.Y, last), answers[last]),
        "test": at_k(stream.Y_test, tests),
    }


def labeltree(stream: streams.Stream, options: dict[str, Any]) -> dict[str, Any]:
    """Return the figures of `partial_fit` and `progressive`."""
    learner = PLTClassifier(n_jobs=1, online=options)
    learn_s, _ = timed(lambda: learner.partial_fit(stream.X, stream.Y))
    clf = PLTClassifier(n_jobs=1, online=options)
    progressive_s, (answers, _) = timed(lambda: clf.progressive(stream.X, stream.Y, K))
    tests, _ = clf.top_k(stream.X_test, K)
    named = np.where(answers < 0, -1, clf.classes_[answers])
    made = figures(stream, learn_s, progressive_s, named, tests)
    cost = clf.tree_cost_
    return made | {
        "state_mb": round(clf._learner().native.n_bytes / 1e6),
        "nodes_a_row": round(cost.cost, 1),
        "lower_bound": round(cost.lower_bound, 1),
    }


def batch(stream: streams.Stream) -> dict[str, Any]:
    """Return the figures of a fit on all rows of the stream."""
    seconds, clf = timed(lambda: PLTClassifier(n_jobs=1).fit(stream.X, stream.Y))
    tests, _ = clf.top_k(stream.X_test, K)
    return {"train_cpu_s": round(seconds, 1), "test": at_k(stream.Y_test, tests)}


def write_vw(path: Path, X: Any, Y: LabelRows) -> None:
    """Write rows in Vowpal Wabbit's text format, in their order."""
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
            command = [str(python), "-m", "benchmarks.online.vowpal"]
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
            made = figures(stream, *found["seconds"].tolist(), found["answers"], found["tests"])
            return made | {"settings": VOWPAL}


def measure(source: str, options: argparse.Namespace) -> dict[str, Any]:
    """Return the figures of all systems on one stream."""
    stream = streams.of(source, options.rows, SEED)
    made: dict[str, Any] = {
        "data": stream.name,
        "order": stream.order,
        "rows": stream.X.shape[0],
        "labels": int(np.unique(stream.Y.indices).size),
    }
    for name, work in (
        ("labeltree, online", lambda: labeltree(stream, {})),
        ("labeltree, online, by score", lambda: labeltree(stream, {"insert": "both"})),
        ("Vowpal Wabbit --plt", lambda: vowpal_wabbit(stream, options.cache, options.timeout)),
        ("labeltree, batch", lambda: batch(stream)),
    ):
        made[name] = work()
        print(stream.name, name, made[name], flush=True)
    return made


def main() -> None:
    """Measure the streams that are named."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.online",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--data", nargs="*", default=[], help="folders, or changelogs")
    parser.add_argument("--new-labels", type=Path, metavar="FOLDER", help="add labels to this set")
    for option in ("--new-rows", "--finish"):
        parser.add_argument(option, type=Path, nargs="*", metavar="FOLDER", default=[])
    parser.add_argument("--rows", type=int, help="learn so many; all by default")
    parser.add_argument("--timeout", type=float, default=900, help="seconds for Vowpal Wabbit")
    parser.add_argument("--cache", type=Path, default=CACHE)
    parser.add_argument("--output", type=Path, help="JSON file to write")
    parser.add_argument("--update", action="store_true", help="keep what else the file has")
    options = parser.parse_args()
    results: dict[str, Any] = {"streams": []}
    if options.update and options.output is not None and options.output.exists():
        results = json.loads(options.output.read_text())
    results["machine"] = machine()
    for source in options.data:
        made = measure(source, options)
        results["streams"] = [s for s in results["streams"] if s["data"] != made["data"]] + [made]
    if options.new_labels is not None:
        results["new_labels"] = measure_new_labels(options.new_labels)
    for name, work in (("new_rows", measure_new_rows), ("finish", measure_finish)):
        for folder in getattr(options, name):
            made = work(folder)
            others = [one for one in results.get(name, []) if one["data"] != made["data"]]
            results[name] = [*others, made]
    if options.output is not None:
        options.output.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
