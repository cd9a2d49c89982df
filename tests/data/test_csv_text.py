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
