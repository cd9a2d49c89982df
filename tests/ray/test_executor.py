import logging
import os
import signal
import threading
import time

import numpy as np
import pytest
from sklearn.base import clone

ray = pytest.importorskip("ray", reason='needs Ray: pip install "labeltree[ray]"')

from labeltree import PLTClassifier
from labeltree.execution.executor import Executor, in_order
from labeltree.execution.mapped_arrays import is_shared_map
from labeltree.ray import RayExecutor
from labeltree.ray.kinds import WorkerKind, this_kind
from tests.execution.test_executors import Scaled, fail
from tests.execution.test_same_model import OPTIONS
from tests.ray.fits import SlowExecutor, data, digest


def endless(_: int) -> None:
    while True:
        time.sleep(0.1)


def my_kind(_: int) -> WorkerKind:
    return this_kind()


def test_it_follows_the_protocol(nodes) -> None:
    nodes.resize(2)
    executor = RayExecutor()
    assert isinstance(executor, Executor)
    assert executor.n_workers == 2
    assert list(in_order(executor.run(abs, range(-9, 0)))) == list(range(9, 0, -1))


def test_an_error_of_a_job_is_raised(nodes) -> None:
    with pytest.raises(ValueError, match="job 0 failed"):
        list(RayExecutor().run(fail, [0]))


class Deadly:
    """Kills its workers until some of them have died."""

    def __init__(self, folder, n_deaths: int) -> None:
        self.folder, self.n_deaths = folder, n_deaths

    def text_of(self, job: int) -> str:
        return f"{job} rows"

    def __call__(self, job: int) -> int:
        n_before = len(list(self.folder.iterdir()))
        if n_before < self.n_deaths:
            (self.folder / str(n_before)).touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return job


def test_a_job_whose_workers_die_runs_again(nodes, tmp_path) -> None:
    assert list(RayExecutor().run(Deadly(tmp_path, 2), [7])) == [(0, 7)]


def test_a_job_that_ends_every_worker_is_an_error_that_names_it(nodes, tmp_path) -> None:
    with pytest.raises(RuntimeError, match=r"4 workers died with job 0 \(7 rows\); if memory"):
        list(RayExecutor().run(Deadly(tmp_path, 99), [7]))


def test_nodes_map_large_arrays_from_a_file(nodes) -> None:
    found = dict(RayExecutor().run(Scaled(np.ones(100_000)), range(3)))
    assert all(is_mapped for _, is_mapped, _ in found.values())


def ones(job: int) -> np.ndarray:
    return np.full(job, 1.0)


def test_large_results_are_in_files_that_the_driver_removes(nodes, tmp_path) -> None:
    with RayExecutor(shared_dir=tmp_path) as executor:
        found = dict(executor.run(ones, [3, 100_000]))
        assert [is_shared_map(found[job]) for job in (0, 1)] == [False, True]
        assert not list(tmp_path.glob("*/*"))
        assert [found[job].sum() for job in (0, 1)] == [3, 100_000]


def test_nodes_of_other_machines_read_arrays_from_a_shared_folder(nodes, tmp_path) -> None:
    with RayExecutor(shared_dir=tmp_path) as executor:
        values = np.ones(100_000)
        assert dict(executor.run(Scaled(values), [2]))[0][:2] == (2e5, True)
        assert len(list(tmp_path.glob("*/*"))) == 1
    assert not list(tmp_path.iterdir())
    assert ray.is_initialized()  # the executor did not connect


def test_without_a_shared_folder_they_fetch_arrays_from_the_object_store(
    nodes, monkeypatch, tmp_path
) -> None:
    monkeypatch.setattr(RayExecutor, "_is_one_machine", lambda self: False)
    model = PLTClassifier(executor=RayExecutor()).fit(*data())
    whole = PLTClassifier(n_jobs=1).fit(*data())
    assert digest(model, tmp_path) == digest(whole, tmp_path)


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
def test_the_model_file_has_the_same_bytes(options, nodes, tmp_path) -> None:
    spread = PLTClassifier(executor=RayExecutor(), **options).fit(*data())
    whole = PLTClassifier(n_jobs=1, **options).fit(*data())
    assert digest(spread, tmp_path) == digest(whole, tmp_path)


@pytest.mark.parametrize("n_nodes", [1, 2, 5])
def test_any_number_of_nodes_gives_the_same_bytes(n_nodes, nodes, tmp_path) -> None:
    nodes.resize(n_nodes)
    executor = RayExecutor()
    assert executor.n_workers == n_nodes
    spread = PLTClassifier(executor=executor).fit(*data())
    whole = PLTClassifier(n_jobs=1).fit(*data())
    nodes.resize(2)
    assert digest(spread, tmp_path) == digest(whole, tmp_path)


def test_the_log_names_node_and_job(nodes, caplog) -> None:
    with caplog.at_level(logging.INFO, "labeltree"):
        list(RayExecutor().run(abs, [-1]))
    assert "job 0 on node " in caplog.text
    assert ", process " in caplog.text


def test_ctrl_c_leaves_nothing_running(nodes) -> None:
    nodes.resize(2)

    def interrupt() -> None:
        time.sleep(3)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        list(RayExecutor().run(endless, range(9)))
    assert list(RayExecutor().run(abs, [-1])) == [(0, 1)]  # so workers are free


def test_a_node_with_another_release_is_refused(nodes, monkeypatch) -> None:
    other = this_kind()._replace(release="9.9")
    monkeypatch.setattr("labeltree.ray.executor.this_kind", lambda: other)
    with pytest.raises(ValueError, match=r"same release of labeltree, but node .* install 9\.9"):
        list(RayExecutor().run(abs, [-1]))


def test_a_node_with_another_kind_of_processor_is_refused(nodes, monkeypatch) -> None:
    other = this_kind()._replace(has_fma=not this_kind().has_fma)
    monkeypatch.setattr("labeltree.ray.executor.this_kind", lambda: other)
    with pytest.raises(ValueError, match="processors of the same kind, but node"):
        list(RayExecutor().run(abs, [-1]))


def test_more_threads_than_a_node_has_are_refused(nodes) -> None:
    with pytest.raises(ValueError, match="n_threads must be at most 1, the CPUs of the largest"):
        list(RayExecutor(n_threads=2).run(abs, [-1]))


def test_copies_share_the_connection(nodes) -> None:
    executor = RayExecutor()
    assert clone(PLTClassifier(executor=executor)).executor is executor


def test_progress_counts_the_jobs_of_all_nodes(nodes) -> None:
    executor = SlowExecutor()
    seen = []
    from labeltree.data import as_features, as_labels
    from labeltree.training.nodes import train_nodes
    from labeltree.training.solver_settings import SolverSettings
    from labeltree.trees import kmeans

    X, Y = data()
    tree = kmeans(X, Y)
    train_nodes(
        tree,
        as_features(X),
        as_labels(Y),
        SolverSettings(),
        executor=executor,
        progress=lambda done, total, name: seen.append(done / total),
    )
    assert seen[0] == 0.0
    assert seen[-1] == 1.0
    assert seen == sorted(seen)
    assert len(seen) > 10


def test_a_shared_folder_that_does_not_exist_is_refused(tmp_path) -> None:
    with pytest.raises(ValueError, match="shared_dir must be a folder, but"):
        RayExecutor(shared_dir=tmp_path / "none")
