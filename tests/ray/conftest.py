"""One cluster for all tests: several nodes on this machine, which takes a minute to start."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
# Nodes that die are noticed within seconds, rather than half a minute.
QUICK = {
    "health_check_initial_delay_ms": 2000,
    "health_check_period_ms": 1000,
    "health_check_timeout_ms": 5000,
    "health_check_failure_threshold": 3,
}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.is_relative_to(Path(__file__).parent):
            item.add_marker(pytest.mark.filterwarnings("default"))  # Ray has warnings of its own


class Nodes:
    """The nodes of a cluster with a head that runs no jobs."""

    def __init__(self) -> None:
        from ray.cluster_utils import Cluster

        self.cluster = Cluster(
            initialize_head=True, head_node_args={"num_cpus": 0, "_system_config": QUICK}
        )
        self.workers: list[Any] = []
        self.resize(2)

    @property
    def address(self) -> str:
        return str(self.cluster.address)

    def resize(self, n_nodes: int) -> None:
        """Add or remove nodes of one core each."""
        while len(self.workers) > n_nodes:
            self.remove()
        while len(self.workers) < n_nodes:
            self.workers.append(self.cluster.add_node(num_cpus=1, wait=False))
        self.cluster.wait_for_nodes(timeout=180)

    def remove(self) -> None:
        """Remove a node as if its machine were switched off."""
        self.cluster.remove_node(self.workers.pop(0), allow_graceful=False)


@pytest.fixture(scope="session")
def nodes() -> Iterator[Nodes]:
    """Two nodes of one core each, and a connection to them."""
    ray = pytest.importorskip("ray", reason='needs Ray: pip install "labeltree[ray]"')
    # What nodes import, also work that is defined in tests.
    os.environ["PYTHONPATH"] = os.pathsep.join(
        [str(ROOT), *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
    )
    made = Nodes()
    ray.init(address=made.address, log_to_driver=False)
    yield made
    ray.shutdown()
    made.cluster.shutdown()
