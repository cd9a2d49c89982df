"""Numeric features and labels in Parquet files."""

import io

import pytest

from labeltree.data import read_parquet_features, write_parquet_features
from labeltree.data.parquet_features import has_features

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

GOOD = {"indices": [[0, 2], []], "values": [[0.5, 1], []], "labels": [[1], [0, 1]]}


def written(columns: dict[str, object]) -> io.BytesIO:
    file = io.BytesIO()
    pq.write_table(pa.table(columns), file)
    return file


def test_rows_survive_a_round_trip() -> None:
    file = io.BytesIO()
    write_parquet_features(file, [[0, 2.5, 0], [1, 0, 0]], [[0], [0, 1]])
    X, rows = read_parquet_features(file)
    assert X.toarray().tolist() == [[0, 2.5, 0], [1, 0, 0]]
    assert rows.to_csr().toarray().tolist() == [[1, 0], [1, 1]]


def test_labels_keep_their_names() -> None:
    file = io.BytesIO()
    write_parquet_features(file, [[1.0], [2.0]], [["tea"], ["tea", "hot"]])
    rows = read_parquet_features(file)[1]
    assert (rows.names.tolist(), rows.counts.tolist()) == (["hot", "tea"], [1, 2])


def test_sizes_are_those_of_the_largest_numbers() -> None:
    X, rows = read_parquet_features(written(GOOD))
    assert (X.shape, rows.n_labels) == ((2, 3), 2)


def test_sizes_can_be_given() -> None:
    X, rows = read_parquet_features(written(GOOD), n_features=9, n_labels=7)
    assert (X.shape, rows.n_labels) == ((2, 9), 7)


def test_features_without_labels_have_none() -> None:
    columns = {name: GOOD[name] for name in ("indices", "values")}
    assert read_parquet_features(written(columns))[1] is None


def test_a_null_list_is_an_empty_row() -> None:
    X, rows = read_parquet_features(
        written({"indices": [None, [1]], "values": [None, [2.0]], "labels": [[0], None]})
    )
    assert X.toarray().tolist() == [[0, 0], [0, 2]]
    assert rows.counts.tolist() == [1]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"indices": [[0, -1], []]}, 'row 0: numbers of column "indices" must be from 0 to'),
        ({"indices": [[0, 2**40], []]}, 'row 0: numbers of column "indices" must be from 0 to'),
        ({"indices": [[0], []]}, "row 0: indices and values must have the same length"),
        ({"indices": [[0, None], []]}, 'entries of column "indices" must not be null'),
        ({"indices": [["a"], []]}, 'column "indices" must hold lists of integers'),
        ({"values": [["a"], []]}, 'column "values" must hold lists of numbers'),
        ({"values": [[float("nan"), 1], []]}, "must not contain NaN or inf, but row 0, column 0"),
        ({"labels": [[-1], []]}, 'row 0: numbers of column "labels" must be from 0 to'),
        ({"labels": [[2**27], []]}, 'row 0: numbers of column "labels" must be from 0 to'),
    ],
)
def test_bad_columns_are_refused_by_name(changes, message) -> None:
    with pytest.raises(ValueError, match=f"stream: .*{message}"):
        read_parquet_features(written(GOOD | changes))


def test_far_more_features_than_entries_are_refused() -> None:
    with pytest.raises(ValueError, match="may have at most 16777216 features"):
        read_parquet_features(written(GOOD | {"indices": [[0, 2**30], []]}))


def test_a_missing_column_is_named() -> None:
    with pytest.raises(ValueError, match='column "indices" is missing; columns are "x"'):
        read_parquet_features(written({"x": [1]}))


def test_a_file_with_texts_has_no_features() -> None:
    assert has_features(written(GOOD), "text")
    assert not has_features(written(GOOD | {"text": ["a", "b"]}), "text")
