from __future__ import annotations

import pytest

from labeltree.data import read_folder
from labeltree.data.folders import folder_rows


def test_subjects_are_read_as_annif_writes_them(tmp_path) -> None:
    (tmp_path / "a.txt").write_text("green tea")
    (tmp_path / "a.tsv").write_text("<http://example.org/1>\ttea\n<http://example.org/2>\tgreen\n")
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "b.txt").write_text("bread")
    assert list(read_folder(tmp_path)) == [("green tea", ["tea", "green"]), ("bread", ["b"])]


def test_identifiers_are_file_names_relative_to_the_folder(tmp_path) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "b.txt").write_text("bread")
    assert [row.id for row in folder_rows(tmp_path)] == ["b/b.txt"]


def test_a_folder_without_texts_is_refused(tmp_path) -> None:
    with pytest.raises(ValueError, match=r"this folder has no .txt files"):
        list(read_folder(tmp_path))
