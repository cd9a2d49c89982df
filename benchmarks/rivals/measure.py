"""All phases of one system on one data set, with a time-out, and the quality of its answers."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.rivals.environments import NotInstalledError, interpreter, tail
from benchmarks.rivals.prepare import SEED, Prepared
from benchmarks.rivals.systems import System
from benchmarks.rivals.worker import PHASES
from labeltree import metrics
from labeltree.data import LabelRows

ROOT = Path(__file__).parent.parent.parent
KEPT = ("P@1", "P@3", "P@5", "nDCG@5", "PSP@1", "PSP@3", "PSP@5")


class UnfitError(RuntimeError):
    """Data that a system is not made for."""


class PhaseError(RuntimeError):
    """A phase that ended with an error; says what it printed last."""


class BadRankingError(RuntimeError):
    """Answers that are no ranking of the labels there are."""


def measure(
    system: System, data: Prepared, *, threads: int, timeout_s: float, cache: Path
) -> dict[str, Any]:
    """Return the figures of a system, or why there are none."""
    seed = {} if system.rival.seed is None else {system.rival.seed: SEED}
    settings = seed | dict(system.settings)
    result: dict[str, Any] = {
        "system": system.name,
        "package": system.rival.package,
        "settings": settings,
        "status": "ok",
    }
    result["load_before"] = round(os.getloadavg()[0], 2)
    try:
        if system.rival.one_label and (np.diff(data.labels("trn").indptr) > 1).any():
            raise UnfitError("it is for rows with one label, but some have more")
        python = interpreter(system.adapter, system.rival, cache)
        with tempfile.TemporaryDirectory(dir=cache) as work:
            job: dict[str, Any] = {
                "adapter": system.adapter,
                "package": system.rival.package,
                "files": data.files(system.rival.text),
                "test": str(data.test_features),
                "model": str(Path(work) / "model"),
                "ranked": str(Path(work) / "ranked.npy"),
                "threads": threads,
                "settings": settings,
            }
            result |= run_phases(python, job, Path(work), timeout_s)
            ranked = np.load(job["ranked"])
            result |= quality(data.labels("trn"), data.labels("tst"), ranked)
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


def run_phases(python: Path, job: dict[str, Any], work: Path, timeout_s: float) -> dict[str, Any]:
    """Run each phase in a process of its own; all together have the time-out."""
    end = time.monotonic() + timeout_s
    figures: dict[str, Any] = {}
    for phase in PHASES:
        figures |= _run(python, job | {"phase": phase}, work, end - time.monotonic())
        if phase == "train":
            figures["model_mb"] = round(size_mb(Path(job["model"])), 2)
    return figures


def _run(python: Path, job: dict[str, Any], work: Path, timeout_s: float) -> dict[str, Any]:
    job_path, result_path = work / "job.json", work / "result.json"
    job_path.write_text(json.dumps(job))
    result_path.unlink(missing_ok=True)
    command = [str(python), "-m", "benchmarks.rivals.worker", str(job_path), str(result_path)]
    threads = str(job["threads"])
    limits = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), threads)
    with (work / "output.txt").open("w+") as output:
        # A session of its own, so that children of a rival end with it.
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


def size_mb(path: Path) -> float:
    """Return the MB of a file, of all files in a folder, and of files named like it."""
    files = [p for p in path.parent.glob(f"{path.name}*") if p.is_file()]
    if path.is_dir():
        files += [p for p in path.rglob("*") if p.is_file()]
    return sum(p.stat().st_size for p in files) / 1e6


def quality(train: LabelRows, test: LabelRows, ranked: Any) -> dict[str, float]:
    """Return the metrics of a ranking in percent."""
    try:
        found = metrics.evaluate(test, ranked, propensity=metrics.propensities(train))
    except ValueError as error:
        raise BadRankingError(f"answers are no ranking: {error}") from error
    return {name: round(100 * found[name], 2) for name in KEPT}
