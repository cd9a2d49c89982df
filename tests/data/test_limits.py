"""Limits on what files may ask for."""

from __future__ import annotations

import gzip
import io
from pathlib import Path

import pytest

from labeltree.data import files, limits, read_csv, read_jsonl, read_xmc, text
from labeltree.data.files import raw_lines, read_whole


def test_a_line_at_the_limit_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (files, text):
        monkeypatch.setattr(module, "MAX_LINE", 28)
    row = b'{"text": "aa", "tags": "bb"}'
    assert list(read_jsonl(io.BytesIO(row + b"\n" + row))) == [("aa", ["bb"])] * 2
    with pytest.raises(ValueError, match="line 2: a line must have at most"):
        list(read_jsonl(io.BytesIO(row + b"\n " + row + b"\n")))


@pytest.mark.parametrize("end", [b"", b"\n", b"\r\n", b"\r"])
def test_the_rest_of_a_long_line_is_skipped(monkeypatch: pytest.MonkeyPatch, end: bytes) -> None:
    monkeypatch.setattr(files, "MAX_LINE", 3)
    lines = list(raw_lines(io.BytesIO(b"abcdefghij" + end + b"\nk\n")))
    assert lines[0] == b"abcd"
    assert lines[-1] == b"k\n"


def test_a_row_of_csv_may_span_lines_up_to_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("labeltree.data.csv_text.MAX_LINE", 40)
    rows = b"text,tags\n" + b'"a\nb",c\n' * 20
    assert len(list(read_csv(io.BytesIO(rows)))) == 20
    with pytest.raises(ValueError, match="close its quotation mark"):
        list(read_csv(io.BytesIO(rows + b'"' + b"a\n" * 40)))


def test_a_line_of_xmc_text_has_a_limit() -> None:
    line = b"0 " + b" " * limits.MAX_LINE
    with pytest.raises(ValueError, match="line 2: a line must have at most 16 MiB, but this one"):
        read_xmc(io.BytesIO(b"1 1 1\n" + line))


def test_a_packed_file_unpacks_to_a_multiple_of_its_size(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.gz"
    path.write_bytes(gzip.compress(b"a" * 100_000))
    assert len(read_whole(path)) == 100_000
    monkeypatch.setattr(limits, "MAX_UNPACKED", 1000)
    with pytest.raises(ValueError, match=r"a\.gz: a compressed file must unpack to .*unpack it"):
        read_whole(path)


def test_a_large_number_of_features_needs_entries() -> None:
    limits.check_size("a", "features", 50_000_000, 500_000)
    with pytest.raises(ValueError, match="at most 49999900 features, but has 50000000"):
        limits.check_size("a", "features", 50_000_000, 499_999)
