import gzip
import io
import os
import stat
import sys
from pathlib import Path

import pytest
import zstandard

from labeltree.data.files import open_read, open_write

SUFFIXES = ["", ".gz", ".zst"]
BYTES = bytes(range(256)) * 5000


def write(path: Path, content: bytes = BYTES) -> Path:
    with open_write(path) as stream:
        stream.write(content)
    return path


def read(path: Path) -> bytes:
    with open_read(path) as stream:
        return stream.read()


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_what_is_written_is_read_back(tmp_path: Path, suffix: str) -> None:
    assert read(write(tmp_path / f"rows{suffix}")) == BYTES


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_empty_content_is_read_back(tmp_path: Path, suffix: str) -> None:
    assert read(write(tmp_path / f"rows{suffix}", b"")) == b""


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_equal_content_gives_equal_files(tmp_path: Path, suffix: str) -> None:
    first, second = (write(tmp_path / f"{name}{suffix}").read_bytes() for name in "ab")
    assert first == second


def test_suffix_selects_the_compression(tmp_path: Path) -> None:
    assert write(tmp_path / "rows.gz").read_bytes()[:2] == b"\x1f\x8b"
    assert write(tmp_path / "rows.zst").read_bytes()[:4] == b"\x28\xb5\x2f\xfd"


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_failed_write_leaves_the_old_file_and_nothing_else(tmp_path: Path, suffix: str) -> None:
    path = write(tmp_path / f"rows{suffix}", b"old")

    def fail() -> None:
        with open_write(path) as stream:
            stream.write(b"new")
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert read(path) == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_target_appears_only_when_it_is_complete(tmp_path: Path) -> None:
    path = tmp_path / "rows"
    with open_write(path) as stream:
        stream.write(b"half")
        assert not path.exists()
    assert path.exists()


def test_new_file_has_the_usual_permissions(tmp_path: Path) -> None:
    usual = tmp_path / "usual"
    usual.touch()
    mode = stat.S_IMODE(write(tmp_path / "rows").stat().st_mode)
    assert mode == stat.S_IMODE(usual.stat().st_mode)


def test_link_keeps_pointing_to_its_file(tmp_path: Path) -> None:
    path, link = write(tmp_path / "rows", b"old"), tmp_path / "link"
    link.symlink_to(path)
    write(link, b"new")
    assert link.is_symlink()
    assert path.read_bytes() == b"new"


def test_device_is_written_to_and_not_replaced() -> None:
    write(Path(os.devnull))
    assert not Path(os.devnull).is_file()


def test_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError):
        write(tmp_path)


def test_missing_folder_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        write(tmp_path / "missing" / "rows")


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_missing_file_is_not_found(tmp_path: Path, suffix: str) -> None:
    with pytest.raises(FileNotFoundError):
        read(tmp_path / f"rows{suffix}")


@pytest.mark.parametrize(("suffix", "word"), [(".gz", "gzip"), (".zst", "zstd")])
def test_truncated_data_is_refused(tmp_path: Path, suffix: str, word: str) -> None:
    path = write(tmp_path / f"rows{suffix}")
    path.write_bytes(path.read_bytes()[:-5])
    with pytest.raises(ValueError, match=f"rows{suffix}: broken {word} data"):
        read(path)


@pytest.mark.parametrize(("suffix", "word"), [(".gz", "gzip"), (".zst", "zstd")])
def test_data_that_is_not_compressed_is_refused(tmp_path: Path, suffix: str, word: str) -> None:
    path = tmp_path / f"rows{suffix}"
    path.write_bytes(b"1 2 3\n")
    with pytest.raises(ValueError, match=f"rows{suffix}: broken {word} data"):
        read(path)


@pytest.mark.parametrize(("suffix", "word"), [(".gz", "gzip"), (".zst", "zstd")])
def test_damaged_data_is_refused(tmp_path: Path, suffix: str, word: str) -> None:
    path = write(tmp_path / f"rows{suffix}")
    content = bytearray(path.read_bytes())
    content[20:60] = bytes(40)
    path.write_bytes(content)
    with pytest.raises(ValueError, match=f"rows{suffix}: broken {word} data"):
        read(path)


@pytest.mark.parametrize(
    ("suffix", "compress"), [(".gz", gzip.compress), (".zst", zstandard.ZstdCompressor().compress)]
)
def test_concatenated_compressed_files_are_read_as_one(
    tmp_path: Path, suffix: str, compress
) -> None:
    path = tmp_path / f"rows{suffix}"
    path.write_bytes(compress(b"one ") + compress(b"two"))
    assert read(path) == b"one two"


def test_missing_zstandard_says_what_to_install(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(ImportError, match=r'pip install "labeltree\[zstd\]"'):
        write(tmp_path / "rows.zst")
    assert list(tmp_path.iterdir()) == []


def test_open_files_stay_open() -> None:
    file = io.BytesIO()
    with open_write(file) as stream:
        stream.write(b"rows")
    file.seek(0)
    with open_read(file) as stream:
        assert stream.read() == b"rows"
    assert not file.closed


def test_dash_is_standard_input_and_output(monkeypatch) -> None:
    output = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(output))
    write("-", b"rows")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(output.getvalue())))
    assert read("-") == b"rows"


@pytest.mark.parametrize("opened", [open_read, open_write])
def test_text_files_are_refused(opened) -> None:
    file = io.TextIOWrapper(io.BytesIO())
    with pytest.raises(TypeError, match="open it in binary mode"), opened(file):
        pass


@pytest.mark.parametrize("opened", [open_read, open_write])
def test_other_types_are_refused(opened) -> None:
    with pytest.raises(TypeError, match="expected a path or an open binary file, but got int"):
        opened(5).__enter__()
