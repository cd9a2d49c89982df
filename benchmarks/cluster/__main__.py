"""Command line of the scaling figures; see the package."""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path
from typing import Any

from benchmarks.cluster import shapes, slices
from benchmarks.cluster.measure import check_schedule, measure
from benchmarks.cluster.memory import worker_memory
from benchmarks.cluster.pecos import compare
from benchmarks.cluster.profile import profile
from benchmarks.machine import RESULTS, machine

FILE = RESULTS / "cluster.json"
N_WORKERS = 64  # for which jobs are made
CHECK_SECONDS = 60.0  # of all jobs of a check
MEMORY_SHARE = 0.25  # of X, the limit of a worker
SHARES = (0.5, 1.0)  # of the rows, from which growth follows


def main() -> None:
    """Run a step, and keep its results beside those of the other steps."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "step", choices=("profile", "slices", "check", "measure", "memory", "pecos")
    )
    parser.add_argument("--data", type=Path, help="folder of the shape texts")
    parser.add_argument("--shape", default="texts", help="data of measure")
    parser.add_argument("--share", type=float, default=1.0, help="share of the rows")
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--times", type=int, default=16, help="copies of each row for memory")
    parser.add_argument("--python", default="python", help="Python with PECOS and mpi4py")
    parser.add_argument("--options", default="{}", help="parameters of PLTClassifier as JSON")
    arguments = parser.parse_args()
    if arguments.data:
        os.environ[shapes.FOLDER] = str(arguments.data)
    found: dict[str, Any] = json.loads(FILE.read_text()) if FILE.exists() else {}
    options = json.loads(arguments.options)
    if arguments.step == "profile":
        found["profiles"] = [
            profile(name, *shapes.read(name, share), N_WORKERS, **options).to_dict()
            for name in shapes.names()
            for share in SHARES
        ]
    elif arguments.step == "slices":
        found["slices"] = slices.compare()
    elif arguments.step == "check":
        longest = max(found["profiles"], key=lambda one: float(one["n_rows"]))
        jobs = longest["runs"][-1]["jobs"]
        scale = CHECK_SECONDS / sum(jobs)
        found["check"] = check_schedule([scale * seconds for seconds in jobs], [1, 2, 4, 8])
    elif arguments.step == "measure":
        X, Y = shapes.read(arguments.shape, arguments.share)
        made = measure(X, Y, repeats=arguments.repeats, **options)
        about = {"shape": arguments.shape, "n_rows": X.shape[0], "n_labels": Y.n_labels}
        found["measured"] = {**about, "options": options, **made}
    elif arguments.step == "memory":
        X, Y = shapes.read(arguments.shape, arguments.share)
        made = worker_memory(X, Y, arguments.times, MEMORY_SHARE, **options)
        about = {"times": arguments.times, "n_labels": Y.n_labels}
        found["memory"] = {**about, **made}
    elif arguments.step == "pecos":
        found["pecos"] = compare(*shapes.read(arguments.shape, arguments.share), arguments.python)
    found.setdefault("machines", {})[arguments.step] = machine()
    FILE.write_text(json.dumps(found) + "\n")  # thousands of jobs, so without line breaks


if __name__ == "__main__":
    main()
