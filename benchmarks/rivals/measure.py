"""All phases of one system on one data set, with a timeout, and the accuracy of its rankings."""

from __future__ import annotations

import json
import os
import shutil
import signal
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.machine import ROOT
from benchmarks.rivals.environments import NotInstalledError, interpreter, tail
from benchmarks.rivals.paired import hits_of
from benchmarks.rivals.prepare import SEED, Prepared
from benchmarks.rivals.systems import System
from labeltree import metrics
from labeltree.data import LabelRows

SHORT_S = 45.0  # seconds; a phase is repeated until its processes took this long in total
LONG_S = 300.0  # seconds; trainings without a seed are repeated until they took this long in total
KEPT = ("P@1", "P@3", "P@5", "nDCG@5", "PSP@1", "PSP@3", "PSP@5")
OF_PROBABILITIES = ("ECE@5", "Brier@5")  # in percent


#: Kinds of scores without a meaningful calibration error.
NO_PROBABILITIES = ("margins", "none")


_THREAD_LIMITS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS")


class UnfitError(RuntimeError):
    """Data that a system does not support."""


class PhaseError(RuntimeError):
    """A phase that failed; the message has the end of its output."""


class BadRankingError(RuntimeError):
    """Predictions that are not a ranking of the labels."""


def measure(
    system: System,
    data: Prepared,
    *,
    threads: int,
    timeout_s: float,
    cache: Path,
    repeats: int = 1,
) -> dict[str, Any]:
    """Return the figures of a system, or why there are none.

    Short phases run `repeats` times. A system without a seed is evaluated after each training, to
    measure the spread of its accuracy.
    """
    rival = system.rival
    seed = {} if rival.seed is None else {rival.seed: SEED}
    settings = seed | dict(system.settings)
    result: dict[str, Any] = {
        "system": system.name,
        "package": rival.package,
        "settings": settings,
        "scores": rival.scores,
        "status": "ok",
    }
    data.hits.clear(system.name)
    result["load_before"] = round(os.getloadavg()[0], 2)
    try:
        if system.one_label and (np.diff(data.labels("trn").indptr) > 1).any():
            raise UnfitError("it supports only rows with one label, but some have more")
        python = interpreter(system.adapter, rival, cache)
        with tempfile.TemporaryDirectory(dir=cache) as work:
            job = job_of(system, data, Path(work)) | {"threads": threads, "settings": settings}
            run = Run(python, job, Path(work), time.monotonic() + timeout_s, repeats)
            evaluate = partial(evaluated, job, data, system)
            layouts = rival.layouts or ("",)
            if rival.seed is None:
                result |= run.trainings_evaluated(layouts[0], evaluate)
                result |= run.predictions(layouts)
            else:
                result |= run.repeated("train")
                result |= run.predictions(layouts) | evaluate()
            result["model_mb"] = round(size_mb(Path(job["model"])), 2)
    except UnfitError as error:
        result |= {"status": "not run", "error": str(error)}
    except NotInstalledError as error:
        result |= {"status": "not installed", "error": str(error)}
    except subprocess.TimeoutExpired as error:
        result |= {"status": "timed out", "error": f"more than {timeout_s:g} s, in {error.cmd}"}
    except (PhaseError, BadRankingError) as error:
        result |= {"status": "failed", "error": str(error)}
    result["load_after"] = round(os.getloadavg()[0], 2)
    return result


def job_of(system: System, data: Prepared, work: Path) -> dict[str, Any]:
    """Return what all phases of a system need to know."""
    return {
        "adapter": system.adapter,
        "package": system.rival.package,
        "files": data.files(system.rival.text),
        "test": str(data.test_features),
        "model": str(work / "model"),
        "compiled": str(work / "compiled"),
        "ranked": str(work / "ranked.npz"),
    }


@dataclass(frozen=True)
class Run:
    """The processes of one system on one data set, with a common deadline."""

    python: Path
    job: dict[str, Any]
    work: Path
    end: float
    repeats: int

    def predictions(self, layouts: Sequence[str]) -> dict[str, Any]:
        """Return the figures of predictions, each in its best layout."""
        return best_of({name: self._of_layout(name) for name in layouts})

    def trainings_evaluated(
        self, layout: str, evaluate: Callable[[], dict[str, float]]
    ) -> dict[str, Any]:
        """Train `repeats` times, and also return the median and spread of the accuracy.

        It stops earlier after LONG_S, or if the other phases need the time that is left.
        """
        runs: list[dict[str, Any]] = []
        start = time.monotonic()
        for _ in range(self.repeats):
            now = time.monotonic()
            is_long = now - start > LONG_S
            if runs and (is_long or self.end - now < 3 * (now - start) / len(runs)):
                break
            figures = self._phase("train") | self._phase("batch", layout=layout)
            runs.append(figures | evaluate())
        return median_of(runs)

    def _of_layout(self, layout: str) -> dict[str, Any]:
        return self.repeated("single", layout=layout) | self.repeated("batch", layout=layout)

    def repeated(self, phase: str, **changes: Any) -> dict[str, Any]:
        """Run a phase, several times if it is short, each in its own process."""
        runs: list[dict[str, Any]] = []
        start = time.monotonic()
        while len(runs) < self.repeats and (not runs or time.monotonic() - start < SHORT_S):
            runs.append(self._phase(phase, **changes))
        return median_of(runs)

    def _phase(self, phase: str, **changes: Any) -> dict[str, Any]:
        left = self.end - time.monotonic()
        if phase == "train":  # omikuji adds its trees to existing ones
            remove_models(self.job)
        return _run(self.python, self.job | changes | {"phase": phase}, self.work, left)


def median_of(runs: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the median of every figure, and its minimum and maximum as `..._spread`.

    Examples
    --------
    >>> median_of([{"s": 2.0}, {"s": 1.0}, {"s": 4.0}])
    {'s': 2.0, 's_spread': [1.0, 4.0]}
    """
    result: dict[str, Any] = {}
    for name, value in runs[0].items():
        values = [run[name] for run in runs]
        if isinstance(value, str) or min(values) == max(values):
            result[name] = value
        else:
            # The upper of the two for an even number: a measured figure rather than a mean.
            result[name] = statistics.median_high(values)
            result[f"{name}_spread"] = [min(values), max(values)]
    return result


def best_of(layouts: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Return the best value of each figure over all layouts, and its layout.

    Examples
    --------
    >>> mapped, held = {"open_s": 1, "batch_rows_per_s": 8}, {"open_s": 2, "batch_rows_per_s": 9}
    >>> best_of({"a": held, "b": mapped})
    {'open_s': 1, 'batch_rows_per_s': 9, 'layouts': {'open_s': 'b', 'batch_rows_per_s': 'a'}}
    """
    if len(layouts) == 1:
        return next(iter(layouts.values()))
    result: dict[str, Any] = {}
    of: dict[str, str] = {}
    for name in dict.fromkeys(name for figures in layouts.values() for name in figures):
        if name.endswith("_spread"):
            continue
        choose = max if name.startswith("batch_rows") else min
        best = choose(layouts, key=lambda layout: layouts[layout][name])
        of[name] = best
        result[name] = layouts[best][name]
        if f"{name}_spread" in layouts[best]:
            result[f"{name}_spread"] = layouts[best][f"{name}_spread"]
    return result | {"layouts": of}


def _run(python: Path, job: dict[str, Any], work: Path, timeout_s: float) -> dict[str, Any]:
    job_path, result_path = work / "job.json", work / "result.json"
    job_path.write_text(json.dumps(job))
    result_path.unlink(missing_ok=True)
    command = [str(python), "-m", "benchmarks.rivals.worker", str(job_path), str(result_path)]
    limits = dict.fromkeys(_THREAD_LIMITS, str(job["threads"]))
    with (work / "output.txt").open("w+") as output:
        # A separate session, so that child processes end with it.
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            env=os.environ | limits,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            process.wait(timeout=max(timeout_s, 0.01))
        except subprocess.TimeoutExpired:
            raise subprocess.TimeoutExpired(job["phase"], timeout_s) from None
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        if process.returncode != 0 or not result_path.exists():
            output.seek(0)
            said = tail(output.read())
            raise PhaseError(f"{job['phase']} ended with status {process.returncode}\n{said}")
    figures: dict[str, Any] = json.loads(result_path.read_text())
    return figures


def remove_models(job: dict[str, Any]) -> None:
    """Remove the files of an earlier training."""
    for name in ("model", "compiled"):
        path = Path(job[name])
        for found in path.parent.glob(f"{path.name}*"):
            if found.is_dir():
                shutil.rmtree(found)
            else:
                found.unlink()


def size_mb(path: Path) -> float:
    """Return the MB of a file, of all files in a folder, and of files named like it."""
    files = [p for p in path.parent.glob(f"{path.name}*") if p.is_file()]
    if path.is_dir():
        files += [p for p in path.rglob("*") if p.is_file()]
    return sum(p.stat().st_size for p in files) / 1e6


def evaluated(job: dict[str, Any], data: Prepared, system: System) -> dict[str, float]:
    """Return the accuracy of the ranking that the last batch wrote."""
    has_probabilities = system.rival.scores not in NO_PROBABILITIES
    test = data.labels("tst")
    with np.load(job["ranked"]) as ranked:
        scores = ranked["scores"] if has_probabilities else None
        found = quality(data.labels("trn"), test, ranked["labels"], scores)
        data.hits.add(system.name, hits_of(test, ranked["labels"]))
    return found


def quality(train: LabelRows, test: LabelRows, ranked: Any, scores: Any = None) -> dict[str, float]:
    """Return the metrics of a ranking in percent, and the log loss; some need scores."""
    try:
        found = metrics.evaluate(
            test, ranked, propensity=metrics.propensities(train), probabilities=scores
        )
    except ValueError as error:
        raise BadRankingError(f"predictions are not a ranking: {error}") from error
    names = (*KEPT, *OF_PROBABILITIES)
    result = {name: round(100 * found[name], 2) for name in names if name in found}
    return result | ({"log_loss@5": round(found["log_loss@5"], 4)} if scores is not None else {})
