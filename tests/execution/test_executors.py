import os
from concurrent.futures import Executor as FuturesExecutor
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pytest

from labeltree.execution import PoolExecutor
from labeltree.execution.executor import Executor, Threads, as_executor, in_order
from labeltree.execution.mapped_arrays import ArrayFiles, StoredValue, is_shared_map


@dataclass
class Scaled:
    """Work with an array that is large enough for a file."""

    values: np.ndarray

    def __call__(self, job: int) -> tuple[float, bool, int]:
        is_mapped = isinstance(self.values.base, np.memmap)
        return float(job * self.values.sum()), is_mapped, os.getpid()


def touch(job: Path) -> None:
    job.touch()


def fail(job: int) -> int:
    raise ValueError(f"job {job} failed")


@pytest.fixture(scope="module")
def processes():
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        yield pool


@pytest.fixture(params=["threads", "thread pool", "process pool"])
def executor(request, processes):
    if request.param == "threads":
        yield Threads(2)
    elif request.param == "process pool":
        yield PoolExecutor(processes)
    else:
        with ThreadPoolExecutor(3) as pool:
            yield PoolExecutor(pool)


def test_every_executor_follows_the_protocol(executor) -> None:
    assert isinstance(executor, Executor)
    assert executor.n_workers >= 1
    assert executor.n_threads >= 1


def test_each_job_has_one_result(executor) -> None:
    found = dict(executor.run(abs, [-1, -2, -3, -4, -5, -6, -7]))
    assert found == {i: i + 1 for i in range(7)}


def test_jobs_may_be_an_iterator(executor) -> None:
    assert list(in_order(executor.run(abs, iter(range(-20, 0))))) == list(range(20, 0, -1))


def test_no_jobs_have_no_results(executor) -> None:
    assert list(executor.run(abs, [])) == []


def test_an_error_of_a_job_is_raised(executor) -> None:
    with pytest.raises(ValueError, match="job 0 failed"):
        list(executor.run(fail, [0]))


def test_jobs_are_taken_only_when_workers_need_them(executor) -> None:
    taken = []
    results = executor.run(abs, (taken.append(i) or i for i in range(1000)))
    next(results)
    assert len(taken) <= 4 * executor.n_workers
    results.close()


def test_jobs_do_not_begin_after_the_caller_has_stopped(processes, tmp_path) -> None:
    results = PoolExecutor(processes).run(touch, (tmp_path / str(i) for i in range(1000)))
    next(results)
    results.close()
    assert processes.submit(abs, -1).result() == 1  # after all that was submitted
    assert len(list(tmp_path.iterdir())) < 20


def test_processes_map_large_arrays_from_a_file(processes) -> None:
    ones = np.ones(100_000)
    found = dict(PoolExecutor(processes).run(Scaled(ones), range(3)))
    assert [found[i][0] for i in range(3)] == [0.0, 1e5, 2e5]
    assert all(is_mapped for _, is_mapped, _ in found.values())
    assert os.getpid() not in {process for _, _, process in found.values()}


@dataclass
class Fresh:
    """Work whose pickle has an array that nothing else refers to."""

    n: int

    def __call__(self, job: int) -> int:
        return job + len(self.values)

    def __getstate__(self):
        return {"n": self.n, "values": np.zeros(self.n)}


def test_arrays_that_exist_only_in_the_pickle_have_files_until_jobs_end(processes) -> None:
    jobs = range(20)
    found = dict(PoolExecutor(processes).run(Fresh(100_000), jobs))
    assert found == {job: job + 100_000 for job in jobs}


def test_a_file_exists_as_long_as_its_array() -> None:
    files = ArrayFiles()
    array = np.zeros(100_000)
    files.dumps(array)
    files.dumps([array, array])
    assert len(list(files.folder.iterdir())) == 1
    del array
    assert not list(files.folder.iterdir())


def test_the_folder_is_removed_with_the_executor() -> None:
    files, array = ArrayFiles(), np.zeros(100_000)
    files.dumps(array)
    folder = files.folder
    del files
    assert not folder.exists()


def test_an_array_that_is_mapped_already_is_read_from_its_own_file(tmp_path) -> None:
    path = tmp_path / "x.npy"
    np.save(path, np.arange(100_000))
    array = np.load(path, mmap_mode="r")
    files = ArrayFiles()
    place, offset = files.place(array[50_000:])
    assert place == str(path)
    assert np.fromfile(place, np.int64, 1, offset=offset)[0] == 50_000
    assert not list(files.folder.iterdir())


def test_an_array_in_a_file_that_workers_cannot_read_is_copied(tmp_path) -> None:
    path = tmp_path / "x.npy"
    np.save(path, np.arange(100_000))
    files = ArrayFiles(is_shared=lambda path: False)
    place, _ = files.place(np.load(path, mmap_mode="r"))
    assert place.startswith(str(files.folder))


def test_none_is_the_threads_of_this_process() -> None:
    assert as_executor(None, n_jobs=3) == Threads(3)


def test_a_pool_is_wrapped(processes) -> None:
    assert isinstance(as_executor(processes), PoolExecutor)
    assert as_executor(processes).n_workers == 2


def test_a_pool_that_does_not_tell_its_size_has_a_worker_for_each_core() -> None:
    assert PoolExecutor(FuturesExecutor()).n_workers == os.cpu_count()


def test_an_executor_stays_as_it_is() -> None:
    executor = Threads(2)
    assert as_executor(executor) is executor


@pytest.mark.parametrize("wrong", [4, "ray", Threads, object()])
def test_what_runs_no_jobs_is_refused(wrong) -> None:
    with pytest.raises(TypeError, match="executor must be None, a pool"):
        as_executor(wrong)


def test_a_stored_value_has_its_large_arrays_in_one_file(tmp_path) -> None:
    large = [np.arange(100_001, dtype=dtype) for dtype in (np.int8, np.int64, np.float32)]
    stored = StoredValue.of({"small": np.arange(3), "large": large}, tmp_path)
    assert len(stored.content) < 10_000
    assert len(list(tmp_path.iterdir())) == 1
    taken = stored.take()
    assert not list(tmp_path.iterdir())
    assert all(is_shared_map(array) for array in taken["large"])
    assert taken["small"].tolist() == [0, 1, 2]
    for array, before in zip(taken["large"], large, strict=True):
        assert array.dtype == before.dtype
        assert np.array_equal(array, before)


def test_a_stored_value_without_large_arrays_has_no_file(tmp_path) -> None:
    stored = StoredValue.of((1, np.arange(3)), tmp_path)
    assert stored.path is None
    assert not list(tmp_path.iterdir())
    assert stored.take()[0] == 1
