"""Files that open whatever their compression, and that are written whole or not at all."""

from __future__ import annotations

import errno
import gzip
import os
import sys
import zlib
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from io import BufferedReader, RawIOBase
from pathlib import Path
from typing import IO, Any, cast

from labeltree.data.limits import MAX_LINE, MAX_RATIO, MAX_UNPACKED, max_unpacked
from labeltree.data.replacing import TEMPORARY, replacing
from labeltree.extras import optional

Source = str | os.PathLike[str] | IO[bytes]

#: Suffixes of files that are unpacked when read and packed when written.
PACKED = (".gz", ".zst")
# Four bytes of zstd can stand for 128 KiB, so little is read at a time: at most 32 MiB.
_ZSTD_PIECE = 1024

_NO_ROOM = (errno.ENOSPC, errno.EFBIG, errno.EDQUOT)


def file_name(file: Source) -> str:
    """The name of a file for error messages."""
    if isinstance(file, str | os.PathLike):
        return "standard input" if file == "-" else os.fspath(file)
    return str(getattr(file, "name", "stream"))


def format_suffix(path: str | os.PathLike[str]) -> str:
    """Return the suffix that names the format of a file, without that of its compression.

    Examples
    --------
    >>> format_suffix("docs.JSONL.gz"), format_suffix("docs")
    ('.jsonl', '')
    """
    suffixes = [suffix.lower() for suffix in Path(path).suffixes if suffix not in PACKED]
    return suffixes[-1] if suffixes else ""


@contextmanager
def open_read(source: Source) -> Iterator[IO[bytes]]:
    """The bytes of a file, unpacked if its name ends in .gz or .zst.

    Parameters
    ----------
    source
        A path, "-" for standard input, or an open binary file, which is read as it stands and stays
        open.

    Raises
    ------
    ValueError
        If the packed data is broken or cut off; also when that shows only while it is read.

    Examples
    --------
    >>> import io
    >>> with open_read(io.BytesIO(b"1 2 3")) as stream:
    ...     stream.read()
    b'1 2 3'
    """
    if not isinstance(source, str | os.PathLike):
        check_binary(source, "read")
        yield source
    elif source == "-":
        yield sys.stdin.buffer
    elif (path := Path(source)).suffix == ".gz":
        with gzip.open(path) as stream:
            try:
                yield cast(IO[bytes], stream)
            except (gzip.BadGzipFile, EOFError, zlib.error) as error:
                raise ValueError(f"{path}: broken gzip data: {error}") from error
    elif path.suffix == ".zst":
        _zstandard()
        with path.open("rb") as packed, BufferedReader(_ZstdReader(packed, str(path))) as stream:
            yield stream
    else:
        with path.open("rb") as plain:
            yield plain


def read_whole(source: Source) -> bytes:
    """Return all bytes of a file, unpacked if its name ends in .gz or .zst.

    Raises
    ------
    ValueError
        If a packed file unpacks to more than the limit for its size.
    """
    with open_read(source) as stream:
        if not isinstance(source, str | os.PathLike) or Path(source).suffix not in PACKED:
            return stream.read()
        limit = max_unpacked(Path(source).stat().st_size)
        content = stream.read(limit + 1)
        if len(content) > limit:
            raise ValueError(
                f"{file_name(source)}: a compressed file must unpack to at most "
                f"{MAX_UNPACKED >> 20} MiB or {MAX_RATIO} times its size, but this one unpacks to "
                "more; unpack it first"
            )
        return content


def raw_lines(stream: IO[bytes]) -> Iterator[bytes]:
    """Iterate over lines with their ends; a line that is too long is cut one byte after the limit.

    The rest of such a line is read only if the next line is asked for.
    """
    while line := stream.readline(MAX_LINE + 1):
        yield line
        while len(line) > MAX_LINE and not line.endswith(b"\n"):
            line = stream.readline(MAX_LINE + 1)


@contextmanager
def open_write(target: Source) -> Iterator[IO[bytes]]:
    """A file to write bytes to, packed if its name ends in .gz or .zst.

    The bytes go to a temporary file beside the target, which takes the target's name once all is on
    the disk, with its permissions. If the block fails, the target stays as it was.

    Parameters
    ----------
    target
        A path, "-" for standard output, or an open binary file, which is written as it stands and
        stays open.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with open_write(f"{folder}/rows.txt.gz") as stream:
    ...         stream.write(b"1 2 3")
    ...     with open_read(f"{folder}/rows.txt.gz") as stream:
    ...         stream.read()
    5
    b'1 2 3'
    """
    if not isinstance(target, str | os.PathLike):
        check_binary(target, "write")
        yield target
        return
    if target == "-":
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    path = Path(target).resolve()  # so that a link keeps pointing to the file it points to
    if path.exists() and not path.is_file():  # a pipe or device cannot be replaced
        opened: AbstractContextManager[IO[bytes]] = path.open("wb")
    else:
        opened = replacing(path)
    try:
        with opened as raw, _packed(raw, path.suffix) as stream:
            yield stream
    except OSError as error:
        # A write does not name its file, and users do not know the temporary one.
        no_name = error.filename is None and error.errno in _NO_ROOM
        if no_name or str(error.filename).endswith(TEMPORARY):
            error.filename, error.filename2 = os.fspath(target), None
        raise


@contextmanager
def _packed(raw: IO[bytes], suffix: str) -> Iterator[IO[bytes]]:
    if suffix == ".gz":
        # No name and no time inside, so that equal rows give equal files.
        with gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as stream:
            yield cast(IO[bytes], stream)
    elif suffix == ".zst":
        with (
            _zstandard()
            .ZstdCompressor(write_checksum=True)
            .stream_writer(raw, closefd=False) as stream
        ):
            yield stream
    else:
        yield raw


def check_binary(file: Any, verb: str) -> None:
    """Raise TypeError unless a value is an open binary file that can "read" or "write"."""
    if not hasattr(file, verb):
        raise TypeError(f"expected a path or an open binary file, but got {type(file).__name__}")
    if hasattr(file, "encoding"):
        raise TypeError(f"{file_name(file)} is open as text; open it in binary mode")


def _zstandard() -> Any:
    return optional("zstandard", "files that end in .zst need", "zstd")


class _ZstdReader(RawIOBase):
    """Unpacked bytes of a zstd file; unlike the reader of the package it notices a missing end."""

    def __init__(self, packed: IO[bytes], name: str) -> None:
        self._packed, self._name = packed, name
        self._frame: Any = None  # None between two frames
        self._rest, self._ready = b"", memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._ready:
            piece = self._rest or self._packed.read(_ZSTD_PIECE)
            if not piece:
                if self._frame is not None:
                    raise ValueError(f"{self._name}: broken zstd data: the end is missing")
                return 0
            self._unpack(piece)
        n_bytes = min(len(buffer), len(self._ready))
        buffer[:n_bytes] = self._ready[:n_bytes]
        self._ready = self._ready[n_bytes:]
        return n_bytes

    def _unpack(self, piece: bytes) -> None:
        zstandard = _zstandard()
        if self._frame is None:
            self._frame = zstandard.ZstdDecompressor().decompressobj()
        try:
            self._ready = memoryview(self._frame.decompress(piece))
        except zstandard.ZstdError as error:
            raise ValueError(f"{self._name}: broken zstd data: {error}") from error
        self._rest = b""
        if self._frame.eof:
            self._rest, self._frame = self._frame.unused_data, None
