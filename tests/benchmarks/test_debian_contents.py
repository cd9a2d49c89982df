"""The data set of files by directory, from a few lines of a file list."""

from __future__ import annotations

import pytest

from benchmarks.debian_contents import MAX_FILES, data_set, drawn_files, options

LINES = [f"usr/share/doc/{d}/{f}    doc/{d}-{f[0]},doc/other" for d in "abcdefgh" for f in
         ("copyright", "readme", "news", "todo", "bugs", "readme.gz")]  # fmt: skip


def test_at_most_four_files_of_a_directory_are_drawn() -> None:
    files = drawn_files(LINES)
    assert {len(own) for own in files.values()} == {MAX_FILES}


def test_what_is_drawn_does_not_depend_on_the_order_of_lines() -> None:
    assert drawn_files(LINES[::-1]) == drawn_files(LINES)


def test_a_path_may_have_spaces() -> None:
    assert list(drawn_files(["opt/two words/a file   misc/x"])) == ["opt/two words"]


def test_every_label_has_a_training_row() -> None:
    made = data_set(drawn_files(LINES))
    assert made["Y.trn"].sum(axis=0).min() >= 1
    assert made["Y.tst"].sum(axis=0).max() <= 1
    assert made["X.trn"].shape[0] + made["X.tst"].shape[0] == 8 * MAX_FILES


def test_the_mirror_needs_a_suite(capsys) -> None:
    with pytest.raises(SystemExit):
        options(["build/x", "--mirror", "http://localhost"])
    assert "--suite must be given together" in capsys.readouterr().err
