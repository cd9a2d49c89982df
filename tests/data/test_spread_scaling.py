"""Rows that workers scale into a file."""

import pickle
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from labeltree.data import as_features
from labeltree.data.row_scaling import AS_THEY_ARE, RowScaling
from labeltree.data.spread_scaling import scaled_rows
from labeltree.execution import Threads
from labeltree.execution.executor import shares_files


@dataclass
class Copies:
    """Runs jobs last to first, on copies of the work."""

    work_dir: Path | None
    n_workers: int = 3
    n_threads: int = 1
    n_run: int = 0

    def run(self, work, jobs):
        for number, job in reversed(list(enumerate(jobs))):
            self.n_run += 1
            yield number, pickle.loads(pickle.dumps(work))(job)


class Apart(Threads):
    """Workers without a folder in common."""

    @property
    def work_dir(self):
        raise ValueError("no folder")


@pytest.fixture
def scaling() -> RowScaling:
    weights = np.linspace(0.5, 1.5, 300).astype(np.float32)
    return RowScaling(power=0.7, weights=weights)


@pytest.fixture
def X():
    rng = np.random.default_rng(0)
    return as_features(sparse.random_array((2000, 300), density=0.1, rng=rng, dtype=np.float32))


@pytest.mark.parametrize("n_workers", [2, 5, 3000])
def test_rows_that_workers_scale_have_the_same_bits(n_workers, X, scaling, tmp_path) -> None:
    executor = Copies(tmp_path, n_workers)
    with scaled_rows(scaling, X, executor) as scaled:
        np.testing.assert_array_equal(scaled.data, scaling(X).data)
        assert scaled.indices is X.indices
    assert executor.n_run > 1


def test_the_file_of_scaled_rows_is_removed(X, scaling, tmp_path) -> None:
    with scaled_rows(scaling, X, Copies(tmp_path)):
        assert len(list(tmp_path.glob("*/values"))) == 1
    assert not list(tmp_path.iterdir())


def test_the_file_of_scaled_rows_is_removed_if_the_fit_fails(X, scaling, tmp_path) -> None:
    with pytest.raises(KeyError), scaled_rows(scaling, X, Copies(tmp_path)):
        raise KeyError
    assert not list(tmp_path.iterdir())


def test_rows_that_stay_as_they_are_need_no_file(X, tmp_path) -> None:
    executor = Copies(tmp_path)
    with scaled_rows(AS_THEY_ARE, X, executor) as scaled:
        assert scaled is X
    assert executor.n_run == 0


@pytest.mark.parametrize("executor", [Threads(1, 3), Apart(1, 3)])
def test_workers_without_files_in_common_scale_nothing(executor, X, scaling) -> None:
    assert not shares_files(executor)
    with scaled_rows(scaling, X, executor) as scaled:
        np.testing.assert_array_equal(scaled.data, scaling(X).data)
