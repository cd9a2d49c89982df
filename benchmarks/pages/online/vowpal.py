"""Vowpal Wabbit's online tree on a stream: vowpal.py JOB RESULT

Runs in its own environment: it needs only numpy and imports nothing from the project.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from vowpalwabbit import Workspace


def options(job: dict[str, Any]) -> str:
    """Return the options shared by all runs."""
    settings = " ".join(f"--{name} {value}" for name, value in job["settings"].items())
    return f"--plt {job['n_labels']} {settings} --quiet --no_stdin"


def learn(job: dict[str, Any]) -> float:
    """Return the CPU seconds of one pass over a cache file, so that no text is parsed."""
    Workspace(f"{options(job)} -d {job['train']} --cache_file {job['cache']} -k").finish()
    start = time.process_time()
    model = Workspace(f"{options(job)} -d {job['train']} --cache_file {job['cache']}")
    seconds = time.process_time() - start
    if model.get_weighted_examples() < 1:
        raise RuntimeError("Vowpal Wabbit learned no row")
    model.finish()
    return seconds


def predict_then_fit(job: dict[str, Any]) -> tuple[float, NDArray[np.int32], NDArray[np.int32]]:
    """Return the CPU seconds of predicting and learning each row, and both predictions."""
    # Its tree has leaves without a label: twice as many are requested, and these are dropped.
    model = Workspace(f"{options(job)} --top_k {2 * job['k']}")
    rows = []
    lines = Path(job["train"]).read_text().splitlines()
    start = time.process_time()
    for line in lines:
        example = model.parse(line)
        rows.append(model.predict(example))
        model.learn(example)
        model.finish_example(example)
    seconds = time.process_time() - start
    tests = [model.predict(line) for line in Path(job["test"]).read_text().splitlines()]
    return seconds, ranked(rows, job), ranked(tests, job)


def ranked(rows: list[list[int]], job: dict[str, Any]) -> NDArray[np.int32]:
    """Return the first k labels of each row, -1 where there are fewer."""
    made = np.full((len(rows), job["k"]), -1, np.int32)
    for row, found in zip(made, rows, strict=True):
        kept = [label for label in found if label < job["n_labels"]][: job["k"]]
        row[: len(kept)] = kept
    return made


def main() -> None:
    """Run the job described in the file."""
    job = json.loads(Path(sys.argv[1]).read_text())
    learn_s = learn(job)
    progressive_s, answers, tests = predict_then_fit(job)
    seconds = np.array([learn_s, progressive_s])
    np.savez(sys.argv[2], seconds=seconds, answers=answers, tests=tests)


if __name__ == "__main__":
    main()
