"""Packs that are trained to estimate the work of all of them."""

from __future__ import annotations

import numpy as np

from labeltree.planning.pack_sample import sampled_packs, total_weights


def test_strata_cover_the_work_of_all_packs() -> None:
    costs = np.sort(np.random.default_rng(0).pareto(1, 5000) * 1e6)[::-1].copy()
    works = [sample.work for sample in sampled_packs(costs)]
    assert np.isclose(sum(works), costs.sum())


def test_no_pack_is_trained_twice() -> None:
    costs = np.sort(np.random.default_rng(0).pareto(1, 5000) * 1e6)[::-1].copy()
    packs = np.concatenate([sample.packs for sample in sampled_packs(costs)])
    assert len(np.unique(packs)) == len(packs)


def test_few_packs_are_all_trained() -> None:
    assert [sample.packs.tolist() for sample in sampled_packs(np.array([8.0, 7.0, 2.0]))] == [
        [0, 1],
        [2],
    ]


def test_packs_without_work_are_in_the_last_stratum() -> None:
    assert [sample.packs.tolist() for sample in sampled_packs(np.array([1e9, 0.0]))] == [[0], [1]]


def test_without_packs_nothing_is_trained() -> None:
    assert sampled_packs(np.empty(0)) == []


def test_weights_of_sampled_nodes_are_counted_exactly() -> None:
    n_positive, n_weights = np.array([1, 4, 9]), np.array([5, 6, 70])
    assert np.isclose(total_weights(n_positive, n_positive, n_weights), 81)
