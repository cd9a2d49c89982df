"""Texts and tags in tables of other libraries."""

import sys

import pytest

from labeltree.data import read_table
from labeltree.data.fields import BadRow, Fields
from labeltree.data.tables import TableColumns, is_table

pa = pytest.importorskip("pyarrow")

ROWS = [("green tea", ["tea", "hot"]), ("water", []), ("rye bread", ["bread"])]


def table() -> "pa.Table":
    return pa.table({"text": [text for text, _ in ROWS], "tags": [tags for _, tags in ROWS]})


def rows_of(made: "pa.Table", fields: Fields | None = None) -> list[object]:
    columns = TableColumns.of("docs", made.schema.names, made.schema.types, fields or Fields())
    return list(columns.rows(made.to_batches()))


@pytest.mark.parametrize(
    "made",
    [
        table(),
        table().to_reader(),
        table().to_batches()[0],
        table()
        .slice(0, 3)
        .cast(pa.schema([("text", pa.large_string()), ("tags", pa.large_list(pa.large_string()))])),
        table().set_column(0, "text", table()["text"].dictionary_encode()),
        table().set_column(0, "text", table()["text"].cast(pa.binary())),
    ],
    ids=["table", "reader", "batch", "large", "dictionary", "binary"],
)
def test_all_forms_of_arrow_hold_the_same_rows(made) -> None:
    assert list(read_table(made)) == ROWS


def test_a_pandas_frame_is_a_table() -> None:
    assert list(read_table(table().to_pandas())) == ROWS


def test_a_polars_frame_is_a_table() -> None:
    polars = pytest.importorskip("polars")
    assert list(read_table(polars.from_arrow(table()))) == ROWS


def test_a_duckdb_relation_is_a_table() -> None:
    duckdb = pytest.importorskip("duckdb")
    assert list(read_table(duckdb.from_arrow(table()))) == ROWS


@pytest.mark.parametrize("is_streamed", [False, True])
def test_a_hugging_face_dataset_is_a_table(is_streamed) -> None:
    datasets = pytest.importorskip("datasets")
    found = datasets.Dataset(table())
    assert list(read_table(found.to_iterable_dataset() if is_streamed else found)) == ROWS


def test_a_selection_of_a_hugging_face_dataset_is_respected() -> None:
    datasets = pytest.importorskip("datasets")
    assert list(read_table(datasets.Dataset(table()).select([2, 0]))) == [ROWS[2], ROWS[0]]


def test_a_column_is_not_a_table() -> None:
    assert not is_table(table()["text"])
    with pytest.raises(TypeError, match="named columns"):
        list(read_table(table()["text"]))


def test_a_slice_of_a_table_has_its_own_rows() -> None:
    assert list(read_table(table().slice(1))) == ROWS[1:]


def test_integers_are_tags_as_in_json() -> None:
    made = pa.table({"text": ["a", "b"], "label": [7, None]})
    assert list(read_table(made)) == [("a", ["7"]), ("b", [])]


def test_columns_are_found_by_name() -> None:
    made = pa.table({"body": ["green tea"], "topics": ["tea"], "tags": [["other"]]})
    assert list(read_table(made, text_field="body", label_field="topics")) == [
        ("green tea", ["tea"])
    ]


def test_a_missing_column_is_named_with_those_that_exist() -> None:
    with pytest.raises(
        ValueError, match='table: column "text" is missing; columns are "body"; set'
    ):
        list(read_table(pa.table({"body": ["x"]})))


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"text": [1], "tags": ["a"]}, '"text" must hold strings, but holds int64; set text_field'),
        ({"text": [["a"]], "tags": ["a"]}, '"text" must hold strings, but holds list<'),
        ({"text": ["a"], "tags": [1.5]}, '"tags" must hold strings, integers or lists of them'),
        ({"text": ["a"], "tags": [[["b"]]]}, '"tags" must hold strings, integers or lists of them'),
        ({"text": ["a"], "tags": [{"b": 1}]}, '"tags" must hold strings, integers or lists of'),
    ],
)
def test_a_column_of_another_type_is_refused(columns, message) -> None:
    with pytest.raises(ValueError, match=message):
        list(read_table(pa.table(columns)))


def test_a_column_that_occurs_twice_is_refused() -> None:
    made = pa.table([["a"], ["b"]], names=["text", "text"])
    with pytest.raises(ValueError, match="must be unique"):
        list(read_table(made, label_field=None))


def test_a_bad_row_is_named_and_the_others_are_read() -> None:
    made = pa.table(
        {
            "text": pa.array([b"tea", b"\xff", None, b"rye", b"milk"]).view(pa.string()),
            "tags": [["a"], ["b"], ["c"], ["d", None], []],
        }
    )
    good, not_utf8, null, null_tag, last = rows_of(made)
    assert (good.text, last.text) == ("tea", "milk")
    assert isinstance(not_utf8, BadRow)
    assert not_utf8.reason.startswith('docs: row 1: column "text" must be UTF-8')
    assert null.reason.startswith('docs: row 2: column "text" must not be null; drop the row')
    assert null_tag.reason.startswith('docs: row 3: column "tags" must not be null')


def test_a_row_that_is_too_long_is_refused_and_the_others_are_read(monkeypatch) -> None:
    for module in ("arrow_arrays", "tables"):
        monkeypatch.setattr(f"labeltree.data.{module}.MAX_LINE", 1 << 20)
    long = pa.array(["x" * (2 << 20), "y"]).dictionary_encode()
    made = pa.table({"text": long.take(pa.array([1, 0, 1])), "tags": [["a"]] * 3})
    first, second, third = rows_of(made)
    assert (first.text, third.text) == ("y", "y")
    assert second.reason == (
        "docs: row 1: a row must have at most 1 MiB, but this one has more; split it"
    )


def test_equal_long_strings_are_not_all_in_memory_at_once() -> None:
    import tracemalloc

    long = pa.DictionaryArray.from_arrays(pa.array([0] * 8192, pa.int32()), ["x" * (1 << 20)])
    made = pa.table({"text": long, "tags": [["a"]] * 8192})
    tracemalloc.start()
    before = pa.total_allocated_bytes()
    for number, _ in enumerate(read_table(made)):
        assert pa.total_allocated_bytes() - before < 64 << 20
        if number == 40:
            break
    assert tracemalloc.get_traced_memory()[1] < 64 << 20
    tracemalloc.stop()


def test_identifiers_are_strings_or_integers() -> None:
    made = pa.table({"text": ["a"], "id": [17]})
    assert rows_of(made, Fields(id="id", with_labels=False))[0].id == 17


def test_without_pyarrow_the_error_names_the_extra(monkeypatch) -> None:
    made = table()
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match=r'pip install "labeltree\[arrow\]"'):
        list(read_table(made))
