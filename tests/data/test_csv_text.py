from __future__ import annotations

import pytest

from labeltree.data import read_csv
from tests.cli.text_files import file_with


def test_csv_rows_without_tags_have_none(tmp_path) -> None:
    path = file_with(tmp_path, 'text,labels\n"a\nb",\n\nc,"x, y"\n', "docs.csv")
    assert list(read_csv(path, label_field=("tags", "labels"))) == [("a\nb", []), ("c", ["x", "y"])]


def test_an_empty_tag_in_csv_is_refused(tmp_path) -> None:
    path = file_with(tmp_path, 'text,tags\na,"x,,y"\n', "docs.csv")
    with pytest.raises(ValueError, match=r"docs.csv: line 2: tags must not be empty"):
        list(read_csv(path))


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_found_in_the_first_row(delimiter, tmp_path) -> None:
    table = 'id,text,label\n1,"a, b; c\td|e",x\n'.replace(",", delimiter, 2)
    table = table.replace('1,"', f'1{delimiter}"').replace('",x', f'"{delimiter}x')
    path = file_with(tmp_path, table, "docs.csv")
    assert list(read_csv(path)) == [("a, b; c\td|e", ["x"])]


def test_a_comma_in_a_column_name_is_not_a_delimiter(tmp_path) -> None:
    path = file_with(tmp_path, "title, long;a, b, c;text;tags\n1;2;tea;x\n", "docs.csv")
    assert list(read_csv(path)) == [("tea", ["x"])]


def test_the_delimiter_can_be_any_character(tmp_path) -> None:
    path = file_with(tmp_path, "text^tags\na, b^x\n", "docs.csv")
    assert list(read_csv(path, delimiter="^")) == [("a, b", ["x"])]


@pytest.mark.parametrize("delimiter", ["", "::", '"', "\n"])
def test_an_impossible_delimiter_is_refused(delimiter, tmp_path) -> None:
    with pytest.raises(ValueError, match="delimiter must be one character"):
        list(read_csv(file_with(tmp_path, "text,tags\n", "docs.csv"), delimiter=delimiter))


def test_a_single_column_is_reported_with_the_parameter_to_set(tmp_path) -> None:
    path = file_with(tmp_path, "text^tags\na^x\n", "docs.csv")
    with pytest.raises(ValueError, match=r'columns are "text\^tags"; set delimiter if it is none'):
        list(read_csv(path))


def test_an_empty_csv_file_has_no_rows(tmp_path) -> None:
    assert list(read_csv(file_with(tmp_path, "", "docs.csv"))) == []


def test_csv_rows_are_yielded_before_the_rest_is_read(tmp_path) -> None:
    rows = read_csv(file_with(tmp_path, "text,tags\na,x\nb\n", "docs.csv"))
    assert next(rows) == ("a", ["x"])
    with pytest.raises(ValueError, match="line 3: a row must have 2 fields"):
        next(rows)
