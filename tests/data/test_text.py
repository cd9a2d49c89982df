import io
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labeltree.data import read_jsonl, read_tsv, write_jsonl, write_tsv


def jsonl(content: bytes, **options) -> list[tuple[str, list[str]]]:
    return list(read_jsonl(io.BytesIO(content), **options))


def tsv(content: bytes, **options) -> list[tuple[str, list[str]]]:
    return list(read_tsv(io.BytesIO(content), **options))


# JSONL


def test_tags_are_a_list_or_one_string() -> None:
    content = b'{"text": "a", "tags": ["x", "y"]}\n{"tags": "x", "text": "b"}\n'
    assert jsonl(content) == [("a", ["x", "y"]), ("b", ["x"])]


def test_integer_tags_become_strings() -> None:
    content = b'{"text": "a", "tags": [1, "x"]}\n{"text": "b", "label": 2}\n'
    assert jsonl(content) == [("a", ["1", "x"]), ("b", ["2"])]


@pytest.mark.parametrize("field", ["tags", "labels", "tag", "label", "categories", "category"])
def test_tags_are_found_under_the_usual_names(field: str) -> None:
    assert jsonl(b'{"text": "a", "%s": ["x"]}' % field.encode()) == [("a", ["x"])]
    assert tsv(f"text\t{field}\na\tx\n".encode()) == [("a", ["x"])]


def test_a_missing_field_is_reported_with_the_parameter_to_set() -> None:
    with pytest.raises(ValueError, match='fields are "body", "tags"; set text_field to one of'):
        jsonl(b'{"body": "a", "tags": []}')
    with pytest.raises(ValueError, match='fields are "text", "topic"; set label_field to one of'):
        jsonl(b'{"text": "a", "topic": []}')


def test_fields_can_be_named() -> None:
    assert jsonl(b'{"body": "a", "topics": []}', text_field="body", label_field="topics") == [
        ("a", [])
    ]


def test_tags_are_optional() -> None:
    assert jsonl(b'{"text": "a"}', label_field=None) == [("a", [])]


def test_empty_lines_are_skipped() -> None:
    assert jsonl(b'\n{"text": "a", "tags": []}\r\n \n') == [("a", [])]


def test_byte_order_mark_is_skipped() -> None:
    assert jsonl(b'\xef\xbb\xbf{"text": "a", "tags": []}') == [("a", [])]


GOOD = b'{"text": "a", "tags": []}\n'


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b'{"text": "a"', "line 2: broken JSON: "),
        (b"tea", "line 2: broken JSON: "),
        (b"[" * 100_000, "line 2: broken JSON: "),
        (b'{"text": "\\ud800", "tags": []}', "line 2: broken JSON: half of a surrogate pair"),
        (b"[1]", "line 2: expected a JSON object, but found a list"),
        (b"null", "line 2: expected a JSON object, but found null"),
        (
            b'{"title": "a", "tags": []}',
            'line 2: field "text" is missing; fields are "title", "tags"',
        ),
        (b'{"text": "a"}', 'line 2: field "tags" is missing; fields are "text"'),
        (b"{}", 'line 2: field "text" is missing; fields are none'),
        (b'{"text": 5, "tags": []}', 'line 2: field "text" must be a string, but is a number'),
        (b'{"text": "a", "tags": null}', 'line 2: field "tags" must be a string, .* null'),
        (
            b'{"text": "a", "tags": {}}',
            'line 2: field "tags" must be a string, an integer or a list .* an object',
        ),
        (
            b'{"text": "a", "tags": ["x", true]}',
            'line 2: field "tags" must hold strings or integers, but holds true',
        ),
        (b'{"text": "a\xff", "tags": []}', "line 2: not UTF-8: byte 0xff at position 11"),
    ],
)
def test_malformed_json_is_refused_with_its_line(line: bytes, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        jsonl(GOOD + line + b"\n")


def test_rows_before_a_malformed_line_are_yielded() -> None:
    rows = read_jsonl(io.BytesIO(GOOD + b"tea\n"))
    assert next(rows) == ("a", [])
    with pytest.raises(ValueError, match="line 2"):
        next(rows)


def test_json_errors_name_the_path(tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl").write_bytes(b"tea\n")
    with pytest.raises(ValueError, match=r"rows\.jsonl: line 1: broken JSON"):
        list(read_jsonl(tmp_path / "rows.jsonl"))


texts = st.text(max_size=10)
rows_of_texts = st.lists(st.tuples(texts, st.lists(texts, max_size=3)), max_size=4)


@settings(deadline=None, max_examples=100)
@given(rows_of_texts)
def test_any_text_survives_jsonl(rows) -> None:
    file = io.BytesIO()
    write_jsonl(file, rows)
    assert jsonl(file.getvalue()) == rows


@pytest.mark.parametrize("suffix", ["", ".gz", ".zst"])
def test_compressed_jsonl_is_read_back(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"rows.jsonl{suffix}"
    write_jsonl(path, [("tea", ["x"])])
    assert list(read_jsonl(path)) == [("tea", ["x"])]


def test_truncated_gzip_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl.gz"
    write_jsonl(path, [("tea", ["x"])])
    path.write_bytes(path.read_bytes()[:-6])
    with pytest.raises(ValueError, match=r"rows\.jsonl\.gz: broken gzip data"):
        list(read_jsonl(path))


def test_one_tag_can_be_written_as_a_string() -> None:
    file = io.BytesIO()
    write_jsonl(file, [("tea", "green")])
    assert jsonl(file.getvalue()) == [("tea", ["green"])]


@pytest.mark.parametrize("row", [(5, []), ("tea", [5]), ("tea", [None])])
def test_other_than_strings_are_not_written(tmp_path: Path, row) -> None:
    with pytest.raises(TypeError, match="row 1: text and tags must be strings, but one is"):
        write_jsonl(tmp_path / "rows.jsonl", [("a", []), row])
    assert list(tmp_path.iterdir()) == []


def test_half_a_surrogate_pair_is_not_written() -> None:
    with pytest.raises(ValueError, match="row 0: cannot be written as UTF-8"):
        write_jsonl(io.BytesIO(), [("\ud800", [])])


# TSV


def test_tags_follow_the_tab() -> None:
    assert tsv(b"green tea\ttea, green\nwater\t\n") == [
        ("green tea", ["tea", "green"]),
        ("water", []),
    ]


def test_tags_can_come_first() -> None:
    assert tsv(b"tea,green\tgreen tea\n\twater\n", tags_first=True) == [
        ("green tea", ["tea", "green"]),
        ("water", []),
    ]


def test_separator_can_be_set() -> None:
    assert tsv(b"a\tx, y||z\n", separator="||") == [("a", ["x, y", "z"])]


def test_a_first_line_that_names_the_fields_is_a_header() -> None:
    assert tsv(b"id\tlabels\ttext\n1\tx, y\ta\n2\t\tb\n") == [("a", ["x", "y"]), ("b", [])]


def test_a_first_line_that_names_one_field_is_a_row() -> None:
    assert tsv(b"text\tx\na\ty\n") == [("text", ["x"]), ("a", ["y"])]


def test_a_header_can_be_declared() -> None:
    content = b"body\ttopic\na\tx\n"
    assert tsv(content, header=True, text_field="body", label_field="topic") == [("a", ["x"])]
    assert tsv(b"text\ttags\na\tx\n", header=False) == [("text", ["tags"]), ("a", ["x"])]
    with pytest.raises(ValueError, match='line 1: column "text" is missing; columns are "body"'):
        tsv(content, header=True)


def test_lines_have_as_many_fields_as_the_header() -> None:
    with pytest.raises(ValueError, match=r"line 2: a line must have 2 fields .* but has 3"):
        tsv(b"text\ttags\na\tx\ty\n")


def test_lines_without_tags_are_texts_if_no_tags_are_wanted() -> None:
    assert tsv(b"a\nb\tx,,\n", label_field=None) == [("a", []), ("b", [])]


def test_a_first_row_that_looks_like_a_header_is_not_written() -> None:
    with pytest.raises(ValueError, match="would be read as the header of a TSV file"):
        write_tsv(io.BytesIO(), [("text", ["tags"])])


def test_windows_line_endings_are_read() -> None:
    assert tsv(b"a\tx\r\nb\ty\r\n") == [("a", ["x"]), ("b", ["y"])]


def test_only_line_feeds_end_lines() -> None:
    assert tsv("a\u2028b\x0bc\tx\n".encode()) == [("a\u2028b\x0bc", ["x"])]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"tea", "line 2: a line must have one tab, but has 0"),
        (b"", "line 2: a line must have one tab, but has 0"),
        (b"a\tb\tc", "line 2: a line must have one tab, but has 2"),
        (b"a\tx,,y", "line 2: tags must not be empty, but one of 'x,,y' is"),
        (b"\xff\tx", "line 2: not UTF-8: byte 0xff at position 0"),
    ],
)
def test_malformed_tsv_is_refused_with_its_line(line: bytes, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        tsv(b"a\tx\n" + line + b"\nb\ty\n")


@pytest.mark.parametrize("separator", ["", "\t", "a\n"])
def test_impossible_separator_is_refused(separator: str) -> None:
    with pytest.raises(ValueError, match="separator must be nonempty, without tabs or line breaks"):
        tsv(b"", separator=separator)


@settings(deadline=None, max_examples=100)
@given(rows_of_texts, st.booleans(), st.sampled_from([",", ";", " | "]))
def test_rows_written_as_tsv_are_read_back(rows, tags_first: bool, separator: str) -> None:
    file = io.BytesIO()
    try:
        write_tsv(file, rows, separator=separator, tags_first=tags_first)
    except ValueError:
        return
    assert tsv(file.getvalue(), separator=separator, tags_first=tags_first) == rows


@pytest.mark.parametrize(
    "row", [("a\tb", []), ("a\nb", []), ("a\r", []), ("a", ["x\ty"]), ("\ufeff", [])]
)
def test_tabs_and_line_breaks_are_not_written(tmp_path: Path, row) -> None:
    with pytest.raises(ValueError, match="row 0: TSV cannot represent a tab, line break or byte"):
        write_tsv(tmp_path / "rows.tsv", [row])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("tags", [["x,y"], [" x"], [""]])
def test_tags_that_would_not_be_read_back_are_not_written(tags: list[str]) -> None:
    with pytest.raises(ValueError, match="row 0: TSV cannot represent the tags"):
        write_tsv(io.BytesIO(), [("a", tags)])


def test_tags_that_join_into_a_separator_are_not_written() -> None:
    with pytest.raises(ValueError, match="row 0: TSV cannot represent the tags"):
        write_tsv(io.BytesIO(), [("a", ["x |", "y"])], separator=" | ")
