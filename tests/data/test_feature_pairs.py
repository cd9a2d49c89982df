"""Pairs of features: rows with their pairs, compared with the reference."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from labeltree import _core
from labeltree.data import as_features
from labeltree.data.feature_pairs import NO_PAIRS, FeaturePairs
from labeltree.data.row_scaling import RowScaling
from labeltree.data.spread_scaling import scaled_rows
from labeltree.execution import Threads
from tests.reference import interactions as reference
from tests.reference import training


def drawn(seed: int, n_rows: int, n_features: int, density: float):
    """Rows, and some pairs of their features."""
    rng = np.random.default_rng(seed)
    X = np.where(
        rng.random((n_rows, n_features)) < density, rng.normal(size=(n_rows, n_features)), 0
    )
    all_pairs = np.array(np.triu_indices(n_features, 1)).T
    kept = all_pairs[rng.random(len(all_pairs)) < rng.random()]
    return X.astype(np.float32), kept if len(kept) else all_pairs[:1]


@given(st.integers(0, 10**6), st.integers(2, 20), st.sampled_from([0.05, 0.3, 1.0]))
@settings(deadline=None, max_examples=80)
def test_rows_with_pairs_equal_the_reference(seed: int, n_features: int, density: float) -> None:
    X, pairs = drawn(seed, 7, n_features, density)
    scaling = RowScaling(unit=False, pairs=FeaturePairs.of(n_features, pairs, 0.5))
    expected = [reference.with_pairs(row, pairs.tolist(), 0.5) for row in X.tolist()]
    found = scaling(as_features(X))
    np.testing.assert_allclose(found.toarray(), np.array(expected), rtol=1e-6)
    assert all((np.diff(found[[i]].indices) > 0).all() for i in range(7))


@pytest.mark.parametrize(("power", "seed"), [(1.0, 0), (0.6, 1), (2.0, 2)])
def test_pairs_are_raised_weighted_and_scaled_like_features(power: float, seed: int) -> None:
    X, pairs = drawn(seed, 20, 8, 0.5)
    weights = np.random.default_rng(seed).uniform(0.1, 1, 8 + len(pairs)).astype(np.float32)
    scaling = RowScaling(power=power, weights=weights, pairs=FeaturePairs.of(8, pairs, 0.7))
    for row, found in zip(X.tolist(), scaling(as_features(X)).toarray(), strict=True):
        wide = reference.with_pairs(row, pairs.tolist(), 0.7)
        expected = training.scaled_row(wide, power, weights.tolist())
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


def test_the_value_of_a_pair_is_finite() -> None:
    most = np.finfo(np.float32).max
    pairs = FeaturePairs.of(2, np.array([[0, 1]]), 1e6)
    found = RowScaling(unit=False, pairs=pairs)(as_features([[most, -most]])).toarray()
    assert found.tolist() == [[most, -most, -most]]
    assert np.isfinite(RowScaling(pairs=pairs)(as_features([[most, most]])).data).all()


def test_a_single_row_may_have_its_features_in_any_order() -> None:
    X, pairs = drawn(3, 1, 9, 0.8)
    scaling = RowScaling(pairs=FeaturePairs.of(9, pairs, 0.7))
    row = as_features(X)
    expected = scaling(row)
    backwards = np.arange(row.nnz)[::-1]
    features, values = scaling.of_row(row.indices[backwards], row.data[backwards])
    np.testing.assert_array_equal(features, expected.indices)
    np.testing.assert_array_equal(values, expected.data)


def test_long_rows_have_the_same_pairs_as_short_ones() -> None:
    # Where rows are longer than lists of partners, partners are looked for in rows.
    rng = np.random.default_rng(0)
    pairs = np.array(
        sorted({tuple(sorted(rng.choice(3000, 2, replace=False))) for _ in range(900)})
    )
    X = np.ones((1, 3000), np.float32)
    found = RowScaling(unit=False, pairs=FeaturePairs.of(3000, pairs, 1.0))(as_features(X))
    np.testing.assert_array_equal(found.indices, np.arange(3000 + len(pairs)))


@dataclass(frozen=True)
class Workers(Threads):
    """Workers that share a folder with this process, as those of a pool do."""

    work_dir: Path | None = None


@pytest.mark.parametrize("n_workers", [2, 5])
def test_workers_write_the_same_rows(n_workers: int, tmp_path) -> None:
    rng = np.random.default_rng(0)
    X = as_features(sparse.random_array((4000, 60), density=0.15, rng=rng, dtype=np.float32))
    pairs = FeaturePairs.of(60, np.array(np.triu_indices(60, 1)).T[::3], 0.7)
    scaling = RowScaling(power=0.8, weights=np.ones(60 + len(pairs), np.float32), pairs=pairs)
    expected = scaling(X)
    with scaled_rows(scaling, X, Workers(1, n_workers, tmp_path)) as found:
        assert list(tmp_path.iterdir())
        for name in ("indptr", "indices", "data"):
            np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))


def test_pairs_are_listed_with_their_features() -> None:
    pairs = np.array([[0, 3], [1, 2], [1, 3]])
    made = FeaturePairs.of(4, pairs, 1.0)
    assert made.to_array().tolist() == pairs.tolist()
    assert [made.features(p) for p in range(3)] == [(0, 3), (1, 2), (1, 3)]
    assert NO_PAIRS.to_array().shape == (0, 2)


@pytest.mark.parametrize(
    ("begin", "partners", "factor", "message"),
    [
        ([0, 1, 1], [1], 0.0, "factor of pairs must be above 0"),
        ([0, 1, 1], [1], np.nan, "factor of pairs must be above 0"),
        ([0, 1, 1], [1, 1], 1.0, "pairs must begin with 0 and end with their number"),
        ([1, 1, 1], [1], 1.0, "pairs must begin with 0"),
        ([0, 2, 1], [1], 1.0, "beginnings of pairs must ascend"),
        ([0, 1, 1], [0], 1.0, "partners of feature 0 must be larger features that ascend"),
        ([0, 1, 1], [2], 1.0, "partners of feature 0 must be larger"),
        ([0, 1, 1], [-1], 1.0, "partners of feature 0 must be larger"),
        ([0, 2, 2, 2], [2, 1], 1.0, "partners of feature 0 must be larger"),
        ([], [1], 1.0, "pairs must begin with 0"),
    ],
)
def test_arrays_that_are_no_pairs_are_refused(begin, partners, factor, message) -> None:
    arrays = np.array(begin, np.int32), np.array(partners, np.int32)
    with pytest.raises(ValueError, match=message):
        FeaturePairs(*arrays, factor).check()
    with pytest.raises(ValueError, match=message):
        _core.RowScaling(True, 1.0, np.empty(0, np.float32), *arrays, factor)


def test_the_core_refuses_rows_that_do_not_ascend_and_places_that_do_not_fit() -> None:
    scaling = RowScaling(pairs=FeaturePairs.of(3, np.array([[0, 1]]), 1.0))._native
    ends, values = np.array([0, 2]), np.ones(2, np.float32)
    with pytest.raises(ValueError, match="features must ascend, but do not in row 0"):
        scaling.begin_with_pairs(ends, np.array([1, 0], np.int32), values, 1)
    features = np.array([0, 1], np.int32)
    for size in (2, 4):
        places = np.empty(size, np.int32), np.empty(size, np.float32)
        with pytest.raises(ValueError, match="entries than places"):
            scaling.write_with_pairs(ends, features, values, np.array([0, size]), *places, 1)
