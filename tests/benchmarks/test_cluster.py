"""The simulation of fits on a cluster."""

import pytest

from benchmarks.cluster.profile import Profile, Profiled, Run, profile
from benchmarks.cluster.simulate import Growth, run_seconds
from benchmarks.generator import Generator


def made(n_rows: int, driver: float, jobs: list[float]) -> Profile:
    return Profile("rows", n_rows, 10, 4, driver, 0.0, [Run("PackTraining", 0.0, jobs)])


def test_jobs_go_to_the_first_worker_that_is_free() -> None:
    assert run_seconds(Run("nodes", 0.0, [3.0, 1.0, 1.0, 1.0]), 2, per_job=0.0) == 3.0


def test_the_longest_job_is_a_lower_bound() -> None:
    assert run_seconds(Run("nodes", 0.0, [5.0, 1.0, 1.0]), 64, per_job=0.0) == 5.0


def test_parts_grow_as_from_some_rows_to_all() -> None:
    growth = Growth(made(50, 2.0, [1.0, 1.0]), made(100, 2.0, [2.0, 2.0]))
    assert growth.total(10.0) == pytest.approx(2.0 + 40.0)
    assert growth.seconds(2, 10.0) == pytest.approx(2.0 + 20.0)
    assert growth.total(growth.growth_to(100.0)) == pytest.approx(100.0, rel=1e-3)


def test_what_depends_on_label_vectors_grows_until_these_are_full() -> None:
    some, every = made(50, 0.0, [1.0]), made(100, 0.0, [2.0])
    some.dividing_seconds, every.dividing_seconds = 1.0, 2.0
    every.vector_entries = 128.0
    growth = Growth(some, every)
    assert growth.factors(3.0)["dividing"] == pytest.approx(3.0)
    assert growth.factors(100.0)["dividing"] == pytest.approx(4.0)
    assert growth.factors(100.0)["nodes"] == pytest.approx(100.0)


def test_the_driver_of_a_profile_is_told_apart() -> None:
    X, Y = Generator(n_labels=5000, n_features=1 << 10).rows(6000)
    found = profile("rows", X, Y, 4)
    assert found.dividing_seconds > 0
    assert found.top_seconds > 0
    assert found.checking_seconds > 0
    assert 0 < found.vector_entries <= 512


def test_one_worker_is_as_fast_as_one_process() -> None:
    growth = Growth(made(50, 0.0, [1.0, 1.0]), made(100, 0.0, [2.0, 2.0]))
    assert growth.efficiency(1, 3600.0, per_job=0.0, start=0.0) == pytest.approx(1.0, rel=1e-3)


def test_a_profile_has_all_jobs_of_a_fit() -> None:
    X, Y = Generator(n_labels=50, n_features=1 << 10).rows(300)
    found = profile("rows", X, Y, 4)
    assert found.runs[-1].name == "PackTraining"
    assert found.total > 0
    assert Profile.from_dict(found.to_dict()) == found


def test_the_measuring_executor_returns_results_in_order() -> None:
    assert list(Profiled(2).run(abs, [-1, -2])) == [(0, 1), (1, 2)]
