"""Texts and tags in Parquet files."""

import io
from contextlib import suppress

import pytest

from labeltree.data import read_parquet, write_parquet
from labeltree.data.fields import BadRow, Fields
from labeltree.data.parquet import parquet_rows
from labeltree.data.parquet_pages import page_sizes, row_groups

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

ROWS = [("green tea", ["tea", "hot"]), ("", []), ("rye bread", ["bread"])]


def written(table: "pa.Table", **options: object) -> io.BytesIO:
    file = io.BytesIO()
    pq.write_table(table, file, **options)
    return file


def test_rows_survive_a_round_trip(tmp_path) -> None:
    write_parquet(tmp_path / "docs.parquet", ROWS)
    assert list(read_parquet(tmp_path / "docs.parquet")) == ROWS


def test_no_rows_make_a_file_without_rows(tmp_path) -> None:
    write_parquet(tmp_path / "docs.parquet", [])
    assert list(read_parquet(tmp_path / "docs.parquet")) == []


def test_other_columns_are_not_read() -> None:
    table = pa.table({"x": [{"a": 1}], "text": ["a"], "textual": [[1]], "tags": ["b"]})
    assert list(read_parquet(written(table))) == [("a", ["b"])]


@pytest.mark.parametrize("options", [{}, {"use_dictionary": False}, {"row_group_size": 1000}])
def test_rows_keep_their_order_over_row_groups_and_batches(options) -> None:
    texts = [f"text {i % 4000}" for i in range(20_000)]
    table = pa.table({"text": texts, "tags": [[text] for text in texts]})
    found = list(read_parquet(written(table, **options)))
    assert [text for text, _ in found] == texts
    assert [tags for _, tags in found] == [[text] for text in texts]


def test_a_failed_write_leaves_the_file_as_it_was(tmp_path) -> None:
    path = tmp_path / "docs.parquet"
    write_parquet(path, ROWS)
    before = path.read_bytes()
    with pytest.raises(TypeError, match="row 1: text and tags must be strings"):
        write_parquet(path, [("a", ["b"]), (7, [])])
    assert path.read_bytes() == before
    assert [found.name for found in tmp_path.iterdir()] == ["docs.parquet"]


def test_half_of_a_surrogate_pair_cannot_be_written() -> None:
    with pytest.raises(ValueError, match="row 0: cannot be written as UTF-8"):
        write_parquet(io.BytesIO(), [("\ud800", [])])


@pytest.mark.parametrize("content", [b"", b"PAR1", b"{}\n" * 9, b"PAR1" + b"\xff" * 30 + b"PAR1"])
def test_a_file_that_is_not_parquet_is_refused_by_name(tmp_path, content) -> None:
    path = tmp_path / "docs.parquet"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"docs\.parquet: not a Parquet file, or damaged: "):
        list(read_parquet(path))


@pytest.mark.parametrize("seed", range(40))
def test_a_damaged_file_is_refused_or_read(seed) -> None:
    import random

    chance = random.Random(seed)
    content = bytearray(written(pa.table({"text": ["a" * i for i in range(99)]})).getvalue())
    for _ in range(3):
        content[chance.randrange(len(content))] = chance.randrange(256)
    with suppress(ValueError):
        rows = list(parquet_rows(io.BytesIO(content), Fields(with_labels=False)))
        assert all(isinstance(row.text, str) for row in rows if not isinstance(row, BadRow))


def test_text_that_is_not_utf8_is_named_by_its_row() -> None:
    table = pa.table({"text": pa.array([b"tea", b"\xff"]).view(pa.string()), "tags": ["a", "b"]})
    with pytest.raises(ValueError, match='row 1: column "text" must be UTF-8, but is'):
        list(read_parquet(written(table)))


def test_a_column_that_unpacks_to_far_more_than_its_size_is_refused(monkeypatch) -> None:
    table = pa.table({"text": ["x" * (1 << 22)], "tags": ["a"]})
    file = written(table, compression="zstd", write_statistics=False)
    monkeypatch.setattr("labeltree.data.limits.MAX_UNPACKED", 1 << 20)
    with pytest.raises(ValueError, match=r"unpacks to \d MiB; write smaller row groups"):
        list(read_parquet(file))


def test_a_list_that_is_far_longer_than_its_bytes_is_refused(monkeypatch) -> None:
    table = pa.table({"text": ["a"], "tags": [["b"] * 9999]})
    monkeypatch.setattr("labeltree.data.parquet.MAX_EMPTY", 100)
    monkeypatch.setattr("labeltree.data.parquet.MAX_SPARSITY", 1)
    with pytest.raises(ValueError, match=r"may have at most \d+ values in a row group, but has"):
        list(read_parquet(written(table)))


@pytest.mark.parametrize("version", ["1.0", "2.0"])
@pytest.mark.parametrize("use_dictionary", [True, False])
def test_the_sizes_of_pages_are_those_of_the_metadata(version, use_dictionary) -> None:
    texts = [f"text {i}" * 9 for i in range(5000)]
    options = {"data_page_version": version, "use_dictionary": use_dictionary}
    file = written(pa.table({"text": texts}), data_page_size=4096, **options)
    chunk = pq.ParquetFile(file).metadata.row_group(0).column(0)
    n_bytes, n_values = page_sizes(file, row_groups(file)[0].chunks[0])
    assert n_values == 5000 * (2 if use_dictionary else 1)
    assert 0 < chunk.total_uncompressed_size - n_bytes < 0.2 * n_bytes  # it counts headers, too


def test_the_metadata_cannot_hide_the_size_of_a_page(monkeypatch) -> None:
    table = pa.table({"text": ["x" * (1 << 22)], "tags": ["a"]})
    file = written(table, compression="zstd", use_dictionary=False, write_statistics=False)
    chunk = pq.ParquetFile(file).metadata.row_group(0).column(0)
    size, content = chunk.total_uncompressed_size, file.getvalue()
    stated = bytes(
        [(2 * size & 127) | 128, (2 * size >> 7 & 127) | 128, (2 * size >> 14 & 127) | 128]
    )
    start = content.rindex(stated)  # zigzag; the fourth and last byte follows
    small = content[:start] + b"\x82\x80\x80\x00" + content[start + 4 :]
    assert (
        pq.ParquetFile(io.BytesIO(small)).metadata.row_group(0).column(0).total_uncompressed_size
        == 1
    )
    monkeypatch.setattr("labeltree.data.limits.MAX_UNPACKED", 1 << 20)
    with pytest.raises(ValueError, match="write smaller row groups"):
        list(read_parquet(io.BytesIO(small)))


def test_a_packed_file_is_refused(tmp_path) -> None:
    with pytest.raises(ValueError, match="compressed inside; unpack it first"):
        list(read_parquet(tmp_path / "docs.parquet.gz"))


def test_a_pipe_is_refused() -> None:
    import os

    read, write = os.pipe()
    os.close(write)
    with os.fdopen(read, "rb") as pipe, pytest.raises(ValueError, match="cannot be a pipe"):
        list(read_parquet(pipe))


def test_names_of_columns_must_be_utf_8() -> None:
    content = written(pa.table({"text": ["tea"], "wxyz": [1]}), store_schema=False).getvalue()
    damaged = io.BytesIO(content.replace(b"wxyz", b"w\xe5yz"))
    with pytest.raises(ValueError, match="damaged: the name of a column is not UTF-8") as refused:
        list(read_parquet(damaged))
    assert type(refused.value) is ValueError
