"""Command-line options for the cluster that a command runs on."""

from __future__ import annotations

import argparse

from labeltree.cli.inputs import UsageError
from labeltree.execution import Executor


def add_cluster_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options that name a cluster."""
    cluster = parser.add_argument_group("cluster")
    cluster.add_argument(
        "--ray",
        metavar="ADDRESS",
        help="run on a Ray cluster: its address, such as 10.0.0.1:6379, auto for the cluster of "
        "this machine, or local to start Ray here (default: threads of this process)",
    )
    cluster.add_argument(
        "--shared-dir",
        metavar="DIR",
        help="folder for temporary files that all nodes of the cluster can read",
    )
    cluster.add_argument(
        "--worker-threads", type=int, help="threads of each job on the cluster (default: 1)"
    )


def given_executor(arguments: argparse.Namespace) -> Executor | None:
    """Return where a command runs; None for the threads of this process."""
    if arguments.ray is None:
        for name in ("shared_dir", "worker_threads"):
            if getattr(arguments, name) is not None:
                raise UsageError(f"--{name.replace('_', '-')} is for a cluster; add --ray ADDRESS")
        return None
    try:
        from labeltree.ray import RayExecutor
    except ImportError as error:
        raise UsageError(f"--ray: {error}") from None
    n_threads = 1 if arguments.worker_threads is None else arguments.worker_threads
    if n_threads < 1:
        raise UsageError(f"--worker-threads must be at least 1, but is {n_threads}")
    return RayExecutor(arguments.ray, n_threads=n_threads, shared_dir=arguments.shared_dir)
