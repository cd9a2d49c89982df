"""The simulation of fits on a cluster."""

import pytest

from benchmarks.cluster.profile import Profile, Profiled, Run, Size, profile
from benchmarks.cluster.simulate import Growth, run_seconds
from benchmarks.cluster.slices import precision, sliced
from benchmarks.generator import Generator
from labeltree import PLTClassifier
from labeltree.training.solver_settings import SLICE_ENTRIES
from labeltree.trees.spread import MAX_TOP_ROWS


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


def test_packs_of_the_root_have_slices_in_long_fits() -> None:
    some, every = made(50, 0.0, [0.0] * 4 + [3.0, 1.0]), made(100, 0.0, [0.0] * 4 + [6.0, 2.0])
    every.size = Size(n_entries=SLICE_ENTRIES // 10, n_features=1, n_root_packs=1)
    growth = Growth(some, every)
    assert [growth.n_slices(times) for times in (1.0, 19.0, 21.0, 1000.0)] == [1, 1, 2, 8]
    assert growth.runs(21.0)[-1].jobs == [0.0] * 4 + [3.0, 3.0, 2.0]
    every.size.n_features = 1 << 20
    assert growth.n_slices(1000.0) == 1


def test_the_top_of_the_tree_grows_until_rows_are_left_out() -> None:
    some, every = made(1 << 22, 0.0, [1.0]), made(1 << 23, 0.0, [2.0])
    some.top_seconds, every.top_seconds = 1.0, 2.0
    factors = Growth(some, every).factors(100.0)
    assert factors["top"] == pytest.approx(MAX_TOP_ROWS / (1 << 23))


@pytest.mark.filterwarnings("ignore:nodes with")
def test_slices_are_forced_upon_short_fits() -> None:
    X, Y = Generator(n_labels=50, n_features=1 << 6).rows(2000)
    with sliced(X, 4):
        model = PLTClassifier(n_jobs=1, interactions=None).fit(X, Y)
    whole = PLTClassifier(n_jobs=1, interactions=None).fit(X, Y)
    assert model.n_visits_ != whole.n_visits_
    assert precision(model, X, Y)[0] == pytest.approx(precision(whole, X, Y)[0], abs=5)


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
