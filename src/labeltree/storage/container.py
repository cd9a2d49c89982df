"""One file of named sections of JSON and typed arrays, as docs/reference/model-file.md says.

This knows nothing of models. Nothing in a file is ever executed, and nothing is trusted before it
is checked.
"""

from __future__ import annotations

import mmap
import os
import shutil
import stat
import struct
import tempfile
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labeltree.data.files import PACKED, Source, check_binary, file_name, open_write
from labeltree.storage.errors import ModelFileError
from labeltree.storage.header import MAX_BYTES, read_header, write_header
from labeltree.storage.section import Section
from labeltree.storage.table import (
    ALIGNMENT,
    Entry,
    SectionEntry,
    aligned,
    checksum,
    checksums_of_map,
    read_table,
    write_table,
)
from labeltree.threads import n_threads

VERSION = 1

# The magic begins and ends like that of PNG: a transfer as text breaks it at once.
_MAGIC = b"\x89LTM\r\n\x1a\n"
_START = struct.Struct("<8sQQQ")  # magic, version, length of the header, checksum of the header
_PIECE = 1 << 24  # bytes written at once, so that Ctrl-C does not wait long
_OTHER_KINDS = {
    b"\x1f\x8b": "packed with gzip; unpack it first",
    b"\x28\xb5\x2f\xfd": "packed with zstd; unpack it first",
    b"PK\x03\x04": "a zip or npz file, not a model file",
    b"\x80": "perhaps a pickle, which could run any code; it is not opened",
}


@dataclass(frozen=True, eq=False)
class Contents:
    """What is in a file; arrays are views into the read-only map of it."""

    sections: Mapping[str, Section]  #: the known ones by name
    entries: list[SectionEntry]  #: all sections, in the order of the file
    n_bytes: int  #: size of the file
    _map: mmap.mmap

    @property
    def skipped(self) -> list[str]:
        """Names of the optional sections that are not known."""
        return [entry.name for entry in self.entries if entry.name not in self.sections]

    def release_pages(self) -> None:
        """Release the pages that were read; those that are used again come back by themselves."""
        if hasattr(mmap, "MADV_DONTNEED"):
            self._map.madvise(mmap.MADV_DONTNEED)


def write_file(path: str | os.PathLike[str], sections: Iterable[Section]) -> None:
    """Write sections, all or nothing: an existing file stays complete until the end.

    Parameters
    ----------
    path
        Where to write. The new file takes its place once all bytes are on the disk.
    sections
        The sections, in the order of the file. Their arrays are written without a copy.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_file(f"{folder}/file", [Section("demo", {"n": 1}, {"ones": np.ones(2, "i4")})])
    ...     contents = read_file(f"{folder}/file", known=["demo"])
    >>> contents.sections["demo"].content, contents.sections["demo"].arrays["ones"]
    ({'n': 1}, array([1, 1], dtype=int32))
    """
    target = Path(path)
    if target.suffix in PACKED:
        raise ValueError(
            f"a model file is mapped, so it cannot be packed; leave {target.suffix} off {target}"
        )
    header, arrays = write_table(sections)
    encoded = write_header(header)
    encoded += b" " * (-(_START.size + len(encoded)) % ALIGNMENT)
    start = _START.pack(_MAGIC, VERSION, len(encoded), _header_checksum(encoded))
    try:
        with open_write(target) as stream:
            stream.write(start + encoded)
            end = 0
            for array in arrays:
                stream.write(bytes(aligned(end) - end))
                for piece in _pieces(array):
                    stream.write(piece)
                end = aligned(end) + array.nbytes
    except OSError as error:
        if error.filename is None:  # a full disk does not say which file it is about
            raise OSError(error.errno, error.strerror, os.fspath(target)) from error
        raise


def _header_checksum(encoded: bytes) -> int:
    return int(checksum(np.frombuffer(encoded, np.uint8), threads=1), 16)


def _pieces(array: NDArray[Any]) -> Iterator[memoryview]:
    whole = array.reshape(-1).view(np.uint8).data
    for first in range(0, len(whole), _PIECE):
        yield whole[first : first + _PIECE]


def read_file(path: Source, *, known: Collection[str], verify: bool = True) -> Contents:
    """Map a file read-only and return what is in it.

    Parameters
    ----------
    path
        A file that `write_file` wrote. It must not be changed in place while it is mapped;
        `write_file` never does that. An open binary file is copied to a temporary file.
    known
        Names of sections that the caller can read. Other sections are skipped if they are
        optional. Their arrays are checked like all others.
    verify
        Whether to compare the checksums of the arrays, which reads the whole file. The header and
        the places of the arrays are always checked.

    Raises
    ------
    ModelFileError
        If the file is not a complete file of a known version, or if a section is required but not
        known.
    FileNotFoundError
        If the file does not exist.
    """
    try:
        mapped = _map(path)
        entries, data = _read_start(mapped)
        _check_known(entries, known)
        views = {e.name: _view(mapped, e, data) for section in entries for e in section.arrays}
        sections = {e.name: _section(e, views) for e in entries if e.name in known}
        contents = Contents(sections, entries, len(mapped), mapped)
        if verify:
            _verify(mapped, entries, views, data)
    except ModelFileError as error:
        raise ModelFileError(f"{file_name(path)}: {error}") from None
    return contents


def _map(source: Source) -> mmap.mmap:
    if not isinstance(source, str | os.PathLike):
        check_binary(source, "read")
        with tempfile.TemporaryFile(prefix="labeltree-") as copied:
            shutil.copyfileobj(source, copied, _PIECE)
            copied.flush()
            return _map_handle(copied.fileno())
    # Without O_NONBLOCK, a pipe would wait for a writer.
    handle = os.open(source, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    try:
        return _map_handle(handle)
    finally:
        os.close(handle)


def _map_handle(handle: int) -> mmap.mmap:
    state = os.fstat(handle)
    if stat.S_ISDIR(state.st_mode):
        raise ModelFileError("it is a folder; a model is one file")
    if not stat.S_ISREG(state.st_mode):
        raise ModelFileError("it is a pipe or a device; copy it to a file first")
    if state.st_size == 0:
        raise ModelFileError("the file is empty; save the model again")
    return mmap.mmap(handle, 0, access=mmap.ACCESS_READ)


def _read_start(mapped: mmap.mmap) -> tuple[list[SectionEntry], int]:
    """Return the sections and where the bytes of their arrays begin."""
    if mapped[: len(_MAGIC)] != _MAGIC[: len(mapped)]:
        kind = (words for start, words in _OTHER_KINDS.items() if mapped[:4].startswith(start))
        raise ModelFileError(f"it is {next(kind, 'not a labeltree model file')}")
    if len(mapped) < _START.size:
        raise ModelFileError(f"the file is cut off after {len(mapped)} bytes; get it again")
    _, version, length, expected = _START.unpack_from(mapped)
    if version > VERSION:
        raise ModelFileError(
            f"it has format {version}; this release reads format {VERSION}. Upgrade labeltree"
        )
    if version < 1:
        raise ModelFileError(f"formats count from 1, but this is {version}; get the file again")
    data = _START.size + length
    if length > MAX_BYTES:
        raise ModelFileError(f"a header has at most {MAX_BYTES} bytes, but this one {length}")
    if data > len(mapped):
        raise ModelFileError(
            f"the header ends at byte {data}, but the file has {len(mapped)}; it is cut off or "
            "damaged, get it again"
        )
    if data % ALIGNMENT:
        raise ModelFileError(f"arrays begin at a multiple of {ALIGNMENT}, but here at {data}")
    encoded = mapped[_START.size : data]
    if _header_checksum(encoded) != expected:
        raise ModelFileError("the header is damaged: its checksum is wrong. Get the file again")
    return read_table(read_header(encoded), len(mapped) - data), data


def _check_known(entries: list[SectionEntry], known: Collection[str]) -> None:
    for entry in entries:
        if entry.required and entry.name not in known:
            raise ModelFileError(
                f"section {entry.name!r} is required, but this release does not know it. "
                "Upgrade labeltree"
            )


def _section(entry: SectionEntry, views: Mapping[str, NDArray[Any]]) -> Section:
    arrays = {array.name: views[array.name] for array in entry.arrays}
    return Section(entry.name, entry.content, arrays, entry.required)


def _view(mapped: mmap.mmap, entry: Entry, data: int) -> NDArray[Any]:
    dtype = np.dtype(entry.dtype).newbyteorder("<")
    if entry.n_bytes == 0:
        array: NDArray[Any] = np.empty(entry.shape, dtype)
        array.flags.writeable = False
        return array
    flat = np.frombuffer(mapped, dtype, count=prod(entry.shape), offset=data + entry.offset)
    return flat.reshape(entry.shape)


def _verify(
    mapped: mmap.mmap, entries: list[SectionEntry], views: Mapping[str, NDArray[Any]], data: int
) -> None:
    arrays = [array for section in entries for array in section.arrays]
    # The pages of small arrays, which opening reads next, stay.
    by_size = sorted(arrays, key=lambda entry: -entry.n_bytes)
    digits = checksums_of_map([views[entry.name] for entry in by_size], n_threads(None))
    found, end = dict(zip((entry.name for entry in by_size), digits, strict=True)), 0
    for entry in arrays:
        if any(mapped[data + end : data + entry.offset]):
            raise ModelFileError(f"the bytes before array {entry.name} must be 0; get it again")
        if (own := found[entry.name]) != entry.checksum:
            raise ModelFileError(
                f"array {entry.name} is damaged: its checksum is {own}, but should be "
                f"{entry.checksum}. Get the file again"
            )
        end = entry.end
