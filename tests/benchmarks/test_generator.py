"""The generator of rows has the properties that the scale benchmark relies on."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from benchmarks.generator import BLOCK, Generator

MANY = 4 * BLOCK


@pytest.fixture(scope="module")
def rows() -> tuple[sparse.csr_array, sparse.csr_array]:
    X, Y = Generator(n_labels=2000).rows(MANY)
    return X, Y.to_csr()


def test_the_first_rows_do_not_depend_on_how_many_follow(rows: tuple) -> None:
    X, Y = Generator(n_labels=2000).rows(BLOCK + 5)
    assert (rows[0][: BLOCK + 5] != X).nnz == 0
    assert (Y.to_csr() != rows[1][: BLOCK + 5]).nnz == 0


def test_blocks_are_the_rows_in_pieces() -> None:
    parts = list(Generator(n_labels=30).blocks(BLOCK + 3))
    assert [X.shape[0] for X, _ in parts] == [BLOCK, 3]
    assert [Y.n_rows for _, Y in parts] == [BLOCK, 3]


def test_another_block_has_other_rows() -> None:
    generator = Generator(n_labels=30)
    X, _ = generator.rows(9)
    other, _ = generator.rows(9, first_block=1)
    assert (other != X).nnz > 0


def test_another_seed_has_other_rows() -> None:
    assert (Generator(30).rows(9)[0] != Generator(30, seed=1).rows(9)[0]).nnz > 0


def test_every_row_has_a_label(rows: tuple) -> None:
    assert np.diff(rows[1].indptr).min() == 1


def test_rows_have_about_as_many_labels_as_asked(rows: tuple) -> None:
    # Labels that are drawn twice count once.
    assert 2.4 < rows[1].nnz / MANY <= 3.0


def test_counts_of_labels_fall_as_one_over_the_rank(rows: tuple) -> None:
    counts = np.sort(np.asarray(rows[1].sum(axis=0)))[::-1][:1000]
    rank = np.arange(1, 1001)
    slope = np.polyfit(np.log(rank[9:]), np.log(counts[9:]), 1)[0]
    assert -1.2 < slope < -0.8


def test_labels_occur_together_more_often_than_by_chance(rows: tuple) -> None:
    Y = rows[1].astype(np.float64)
    together = (Y.T @ Y).tocoo()
    share = np.asarray(Y.mean(axis=0))
    # Pairs that were seen at least 20 times; at random such pairs are of frequent labels.
    often = (together.row < together.col) & (together.data >= 20)
    by_chance = MANY * share[together.row[often]] * share[together.col[often]]
    assert np.mean(together.data[often] > 3 * by_chance) > 0.5


def test_rows_have_length_one(rows: tuple) -> None:
    np.testing.assert_allclose(sparse.linalg.norm(rows[0], axis=1), 1, rtol=1e-5)


def test_rows_of_a_label_share_its_words(rows: tuple) -> None:
    X, Y = rows
    label = int(np.argsort(np.asarray(Y.sum(axis=0)))[-50])
    of_label = X[Y.tocsc()[:, [label]].indices]
    share = np.diff((of_label != 0).tocsc().indptr).max() / of_label.shape[0]
    assert 0.4 < share < 0.9


def test_the_number_of_a_label_does_not_tell_its_popularity(rows: tuple) -> None:
    counts = np.asarray(rows[1].sum(axis=0))
    assert abs(np.corrcoef(np.arange(2000), np.argsort(np.argsort(counts)))[0, 1]) < 0.1


@pytest.mark.parametrize("name", ["n_labels", "n_features", "topic_size"])
def test_sizes_below_one_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match=f"{name} must be at least 1, but is 0"):
        Generator(**({"n_labels": 5} | {name: 0}))
