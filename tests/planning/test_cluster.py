"""Plans for the workers of a cluster."""

import numpy as np
import pytest
from scipy import sparse

from labeltree import plan
from labeltree.data import as_features, as_labels
from labeltree.planning.cluster import StepSeconds, Workers, cluster_use
from labeltree.training.nodes import make_trainer
from labeltree.training.solver_settings import SolverSettings
from labeltree.trees import LabelTree

TREE = LabelTree.from_nested([list(range(first, first + 16)) for first in range(0, 128, 16)])


def rows(n_rows: int = 60_000, n_features: int = 200, density: float = 0.8):
    rng = np.random.default_rng(0)
    X = sparse.random_array((n_rows, n_features), density=density, rng=rng, dtype=np.float32)
    labels = rng.integers(128, size=n_rows)
    Y = sparse.csr_array((np.ones(n_rows), labels, np.arange(n_rows + 1)), shape=(n_rows, 128))
    return as_features(X.tocsr()), as_labels(Y)


@pytest.fixture(scope="module")
def use_of():
    X, Y = rows()
    trainer = make_trainer(TREE, X, Y, SolverSettings())

    def use(n_workers: int, memory: float | None = None):
        workers = Workers(n_workers, memory)
        return cluster_use(trainer, X, Y, workers, StepSeconds(driver=5.0, spread=0.0, packs=100.0))

    return use


def test_more_workers_are_faster_down_to_the_driver_and_the_longest_job(use_of) -> None:
    times = [use_of(n).training_seconds for n in (1, 2, 8, 1000)]
    assert times == sorted(times, reverse=True)
    assert times[0] == pytest.approx(105, abs=1)
    last = use_of(1000)
    assert last.training_seconds >= last.driver_seconds + last.longest_job_seconds


def test_without_a_limit_workers_hold_all_rows(use_of) -> None:
    use = use_of(4)
    assert use.fits
    assert use.window_share == 1
    assert use.n_streamed == 0


def test_a_worker_with_less_memory_than_x_streams_the_rows_of_large_nodes(use_of) -> None:
    need = use_of(4)
    assert need.min_worker_bytes < need.worker_bytes
    use = use_of(4, 0.8 * need.worker_bytes)
    assert use.fits
    assert 0 < use.window_share < 1
    assert 0 < use.n_streamed < use.n_packs


def test_a_worker_with_too_little_memory_does_not_fit(use_of) -> None:
    assert not use_of(4, 0.9 * use_of(4, 1e6).min_worker_bytes).fits


def test_a_plan_says_what_workers_need_and_which_trees_do_not_fit() -> None:
    X, Y = rows(3000, 60, 0.1)
    made = plan(X, Y, trees=["kmeans"], n_workers=3, worker_memory="1GB")
    assert made.fits
    assert "3 workers: kmeans is built and trained in" in " ".join(made.table().split())
    assert made.to_dict()["trees"][0]["cluster"]["n_workers"] == 3
    small = plan(X, Y, trees=["kmeans"], n_workers=3, worker_memory=1000)
    assert not small.fits
    assert small.best.breaks[0].startswith("worker memory")


def test_workers_of_a_plan_are_checked() -> None:
    X, Y = rows(100, 20, 0.1)
    with pytest.raises(ValueError, match="worker_memory requires n_workers"):
        plan(X, Y, worker_memory="1GB")
    with pytest.raises(ValueError, match="n_workers must be at least 1"):
        plan(X, Y, n_workers=0)
    with pytest.raises(ValueError, match="n_workers requires features"):
        plan(None, Y, n_workers=2)


def test_workers_share_what_is_spread() -> None:
    seconds = StepSeconds(driver=5.0, spread=8.0, packs=100.0)
    assert seconds.before_packs(1) == 13.0
    assert seconds.before_packs(4) == 7.0
