"""A fit of some seconds, whose jobs can be disturbed."""

from __future__ import annotations

import hashlib
import os
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from labeltree import PLTClassifier
from labeltree.ray import RayExecutor


def data(n_rows: int = 2400) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    X = sparse.random_array((n_rows, 80), density=0.1, rng=rng, dtype=np.float32)
    Y = sparse.random_array((n_rows, 2000), density=0.001, rng=rng).astype(bool)
    return X.tocsr(), Y.tocsr()


def digest(model: Any, folder: Path) -> str:
    """Return the digest of the model file."""
    model.save(folder / "model.lt")
    return hashlib.sha256((folder / "model.lt").read_bytes()).hexdigest()


@dataclass
class Slow:
    """Work that takes longer, so that there is time to disturb it."""

    work: Callable[[Any], Any]
    seconds: float

    def __call__(self, job: Any) -> Any:
        time.sleep(self.seconds)
        return self.work(job)


class SlowExecutor(RayExecutor):
    """Calls `disturb` with the executor after some of its jobs; each takes a tenth of a second."""

    def __init__(
        self, after: int = -1, disturb: Callable[[RayExecutor], None] = lambda executor: None
    ) -> None:
        super().__init__()
        self._after, self._disturb = after, disturb

    def run(self, work: Any, jobs: Any) -> Any:
        for result in super().run(Slow(work, 0.1), jobs):
            if len(self.reports) == self._after:
                self._disturb(self)
            yield result


def kill_worker(executor: RayExecutor) -> None:
    os.kill(executor.reports[-1].process, signal.SIGKILL)


def main(address: str, checkpoint: str, output: str) -> None:
    """Fit as a driver that can be killed."""
    import ray

    ray.init(address=address, log_to_driver=False)
    print("connected", flush=True)
    PLTClassifier(executor=SlowExecutor(), checkpoint_dir=checkpoint).fit(*data()).save(output)
