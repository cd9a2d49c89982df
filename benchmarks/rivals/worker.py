"""One phase of one system in a separate process: python -m benchmarks.rivals.worker JOB RESULT

Runs in the environment of the system, so it needs numpy and scipy only.
"""

from __future__ import annotations

import ctypes
import json
import resource
import sys
import time
from collections.abc import Callable
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

K = 5
_MB_OF_KIB = 1024 / 1e6
N_SINGLE = 1000
_WARM_UP = 20  # rows predicted first, without timing
_BATCH_REPEATS = 3
_LONG_BATCH_S = 20.0  # a batch that takes longer is not repeated


class Clock:
    """Wall and CPU seconds since creation, including those of finished child processes."""

    def __init__(self) -> None:
        self._wall, self._cpu = time.perf_counter(), self._cpu_now()

    def seconds(self) -> tuple[float, float]:
        """Return wall and CPU seconds."""
        return time.perf_counter() - self._wall, self._cpu_now() - self._cpu

    @staticmethod
    def _cpu_now() -> float:
        # os.times() alone counts in hundredths of a second, too coarse for short batches.
        children = resource.getrusage(resource.RUSAGE_CHILDREN)
        return time.process_time() + children.ru_utime + children.ru_stime


def forget_peak() -> None:
    """Reset the peak memory to the memory in use, if the operating system supports it."""
    # What reading data has freed would be used again without being counted.
    if hasattr(ctypes.CDLL(None), "malloc_trim"):
        ctypes.CDLL(None).malloc_trim(0)
    clear = Path("/proc/self/clear_refs")
    if clear.exists():
        clear.write_text("5")


def memory(what: str) -> float:
    """Return MB of memory: "VmRSS" for the current memory, "VmHWM" for the peak."""
    status = Path("/proc/self/status")
    if status.exists():
        line = next(line for line in status.read_text().splitlines() if line.startswith(what))
        return int(line.split()[1]) * _MB_OF_KIB
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _MB_OF_KIB


def data_mb(files: dict[str, str]) -> float:
    """Return the MB of X and Y as compressed rows with 4-byte numbers."""
    entries = 0
    for what in ("X", "Y"):
        with np.load(files[what]) as parts:
            entries += len(parts["indices"]) * 2 + len(parts["indptr"])
    return entries * 4 / 1e6


def train(job: dict[str, Any], adapter: Any) -> dict[str, Any]:
    """Train; memory is counted above that of the process with the data loaded."""
    data = adapter.read(job["files"])
    # A system that reads the file itself loads the data later, so its size is subtracted.
    own = data_mb(job["files"]) if "text" in job["files"] else 0.0
    forget_peak()
    base = memory("VmRSS") + own
    clock = Clock()
    adapter.train(data, job["model"], job["threads"], **job["settings"])
    wall, cpu = clock.seconds()
    children = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * _MB_OF_KIB
    peak = max(memory("VmHWM"), children)
    if hasattr(adapter, "compile"):
        adapter.compile(job["model"], job["compiled"])
    return {
        "train_wall_s": round(wall, 2),
        "train_cpu_s": round(cpu, 2),
        "train_peak_mb": round(peak, 1),
        "train_over_data_mb": round(peak - base, 1),
        "version": version(job["package"]),
        "numpy": np.__version__,
    }


def load(job: dict[str, Any], adapter: Any) -> tuple[Any, dict[str, Any]]:
    """Load the model, and return the seconds this took."""
    path, layout = job["compiled" if job["layout"] == "mmap" else "model"], job["layout"]
    clock = Clock()
    model = adapter.load(path, job["threads"], *([layout] if layout else []))
    return model, {"open_s": round(clock.seconds()[0], 5)}


def batch(job: dict[str, Any], adapter: Any) -> dict[str, Any]:
    """Load the model and predict all test rows; figures are medians over repeats.

    Only the calls of the system are timed: rows are already in its format.
    """
    X = sparse.csr_matrix(sparse.load_npz(job["test"]))
    model, _ = load(job, adapter)
    adapter.predict(model, adapter.prepare(X[:_WARM_UP]), K)
    rows = adapter.prepare(X)
    seconds: list[tuple[float, float]] = []
    while len(seconds) < _BATCH_REPEATS and (not seconds or seconds[-1][0] < _LONG_BATCH_S):
        clock = Clock()
        found = adapter.predict(model, rows, K)
        seconds.append(clock.seconds())
    labels, scores = adapter.ranking(found, K)
    np.savez(job["ranked"], labels=labels, scores=scores)
    wall, cpu = np.median(np.array(seconds), axis=0)
    return {
        "batch_rows_per_s": round(X.shape[0] / wall),
        "batch_rows_per_cpu_s": round(X.shape[0] / cpu),
        "batch_times": "calls",  # older results lack this; some include the conversion to lists
    }


def single(job: dict[str, Any], adapter: Any) -> dict[str, Any]:
    """Load the model and predict one row per call; then report the memory in use."""
    X = sparse.csr_matrix(sparse.load_npz(job["test"]))
    # From the whole set, whose first rows may be unlike the others.
    drawn = np.linspace(0, X.shape[0] - 1, min(N_SINGLE, X.shape[0])).astype(int).tolist()
    queries = [adapter.query(X[i : i + 1]) for i in drawn]
    forget_peak()
    base = memory("VmRSS")
    model, opened = load(job, adapter)
    for query in queries[:_WARM_UP]:
        adapter.predict_one(model, query, K)
    times = np.zeros(len(queries))
    clock = Clock()
    for i, query in enumerate(queries):
        start = time.perf_counter_ns()
        adapter.predict_one(model, query, K)
        times[i] = time.perf_counter_ns() - start
    cpu = clock.seconds()[1]
    resident = memory("VmRSS")
    p50, p99 = np.percentile(times, [50, 99]) / 1000
    return opened | {
        "resident_mb": round(resident, 1),
        "resident_over_data_mb": round(resident - base, 1),
        "single_rows": len(queries),
        "single_p50_us": round(p50, 1),
        "single_p99_us": round(p99, 1),
        "single_cpu_us": round(cpu / len(queries) * 1e6, 1),
    }


PHASES: dict[str, Callable[[dict[str, Any], Any], dict[str, Any]]] = {
    "train": train,
    "batch": batch,
    "single": single,
}


def main() -> None:
    """Run the job described in the file."""
    job_path, result_path = sys.argv[1:]
    job = json.loads(Path(job_path).read_text())
    adapter = import_module(f"benchmarks.rivals.adapters.{job['adapter']}")
    result = PHASES[job["phase"]](job, adapter)
    Path(result_path).write_text(json.dumps(result))


if __name__ == "__main__":
    main()
