"""One fit in one process, on one node and on two nodes of a Ray cluster on this machine."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter, process_time, sleep
from typing import Any

from benchmarks.cluster.profile import Run
from benchmarks.cluster.simulate import run_seconds
from labeltree import PLTClassifier
from labeltree.planning.cluster import JOB_SECONDS


def measure(X: Any, Y: Any, *, repeats: int = 1, **options: Any) -> dict[str, Any]:
    """Return wall and CPU seconds of a fit without Ray, and with one and two nodes of one core."""
    found: dict[str, Any] = {
        "one process": _best([_fit(X, Y, None, options) for _ in range(repeats)])
    }
    for n_nodes in (1, 2):
        found[f"nodes: {n_nodes}"] = _best(_on_nodes(n_nodes, X, Y, repeats, options))
    same = {fit["digest"] for fit in found.values()}
    return {**found, "same bytes": len(same) == 1}


def check_schedule(jobs: list[float], n_nodes: list[int]) -> list[list[float]]:
    """Return [nodes, measured seconds, simulated seconds] of jobs that sleep instead of training.

    Sleeping takes no core, so more nodes than this machine has cores can be compared.
    """
    run = Run("sleep", 0.0, jobs)
    found = []
    for n in n_nodes:
        with _nodes(n) as executor:
            start = perf_counter()
            list(executor.run(sleep, jobs))
            found.append([n, perf_counter() - start, run_seconds(run, n, JOB_SECONDS)])
    return found


def _best(fits: list[dict[str, Any]]) -> dict[str, Any]:
    return min(fits, key=lambda fit: float(fit["seconds"]))


def _on_nodes(
    n_nodes: int, X: Any, Y: Any, repeats: int, options: dict[str, Any]
) -> list[dict[str, Any]]:
    fits = []
    with _nodes(n_nodes) as executor:
        for _ in range(repeats):
            executor.reports.clear()
            fits.append(_fit(X, Y, executor, options))
    return fits


@contextmanager
def _nodes(n_nodes: int) -> Iterator[Any]:
    """Yield an executor on a cluster of nodes of one core, whose workers have started."""
    import ray
    from ray.cluster_utils import Cluster

    from labeltree.ray import RayExecutor

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0})
    try:
        for _ in range(n_nodes):
            cluster.add_node(num_cpus=1)
        ray.init(address=cluster.address, log_to_driver=False)
        executor = RayExecutor()
        # A worker imports labeltree when it has its first job.
        list(executor.run(sleep, [1.0] * 2 * n_nodes))
        yield executor
        executor.close()
    finally:
        ray.shutdown()
        cluster.shutdown()


def _fit(X: Any, Y: Any, executor: Any, options: dict[str, Any]) -> dict[str, Any]:
    start, cpu_start = perf_counter(), process_time()
    model = PLTClassifier(executor=executor, n_jobs=1, **options).fit(X, Y)
    seconds, cpu_seconds = perf_counter() - start, process_time() - cpu_start
    reports = [] if executor is None else executor.reports
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.lt"
        model.save(path)
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
    return {
        "seconds": seconds,
        "tree_seconds": model.fit_report_.tree_seconds,
        "training_seconds": model.fit_report_.training_seconds,
        "driver_cpu_seconds": cpu_seconds,
        "job_cpu_seconds": sum(report.cpu_seconds for report in reports),
        "job_seconds": sum(report.seconds for report in reports),
        "n_jobs": len(reports),
        "digest": digest,
    }
