import pytest

from labeltree.threads import n_threads


def test_all_cores_are_the_default() -> None:
    assert n_threads(None) == n_threads(-1) >= 1


def test_negative_numbers_leave_cores_free_but_never_all() -> None:
    assert n_threads(-2) == max(1, n_threads(None) - 1)
    assert n_threads(-10_000) == 1


def test_zero_threads_are_refused() -> None:
    with pytest.raises(ValueError, match="n_jobs must be a number of threads"):
        n_threads(0)
