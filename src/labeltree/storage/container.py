"""One file of a JSON header and typed arrays; docs/model-file.md describes it byte by byte.

This knows nothing of models. Nothing in a file is ever executed, and nothing is believed before it
is checked.
"""

from __future__ import annotations

import mmap
import os
import re
import stat
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from labeltree import _core
from labeltree.data.files import PACKED, open_write
from labeltree.storage.errors import ModelFileError
from labeltree.storage.header import MAX_BYTES, read_header, write_header
from labeltree.threads import n_threads

VERSION = 1
ALIGNMENT = 64
DTYPES = ("u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8", "f2", "f4", "f8")  # little-endian

# The magic begins and ends as that of PNG does: a transfer as text breaks it at once.
_MAGIC = b"\x89LTM\r\n\x1a\n"
_START = struct.Struct("<8sQQQ")  # magic, version, length of the header, checksum of the header
_ENTRY = {"name": str, "dtype": str, "shape": list, "offset": int, "checksum": str}
_NAME = re.compile(r"[a-z0-9_.]{1,100}")
_CHECKSUM = re.compile(r"[0-9a-f]{16}")
_MAX_DIMENSIONS = 2
_MAX_LENGTH = 1 << 40  # entries of an axis; numpy takes that much for an empty array, too
_PIECE = 1 << 24  # written at once, so that Ctrl-C need not wait long
_OTHER_KINDS = {
    b"\x1f\x8b": "packed with gzip; unpack it first",
    b"\x28\xb5\x2f\xfd": "packed with zstd; unpack it first",
    b"PK\x03\x04": "a zip or npz file, and no model file",
    b"\x80": "perhaps a pickle, which could run anything; it is not opened",
}


class Entry(NamedTuple):
    """Where an array lies; offsets count from the end of the header."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    offset: int
    checksum: str

    @property
    def n_bytes(self) -> int:
        """Bytes of the array."""
        return prod(self.shape) * np.dtype(self.dtype).itemsize

    @property
    def end(self) -> int:
        """Where the bytes after the array begin."""
        return self.offset + self.n_bytes


@dataclass(frozen=True, eq=False)
class Contents:
    """What is in a file: the header, and arrays that are views into the read-only map of it."""

    header: dict[str, Any]
    arrays: dict[str, NDArray[Any]]
    entries: list[Entry]
    n_bytes: int  #: size of the file
    _map: mmap.mmap

    def release_pages(self) -> None:
        """Let go of the pages that were read; those that are used again come back by themselves."""
        if hasattr(mmap, "MADV_DONTNEED"):
            self._map.madvise(mmap.MADV_DONTNEED)


def write_file(
    path: str | os.PathLike[str], header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]
) -> None:
    """Write a header and arrays, all or nothing: a file of that name stays whole until the end.

    Parameters
    ----------
    path
        Where to write. The new file takes its place once all is on the disk.
    header
        Anything that JSON can say.
    arrays
        Arrays of one or two dimensions by name. They are written from where they are.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_file(f"{folder}/file", {"kind": "demo"}, {"ones": np.ones(3, np.int32)})
    ...     contents = read_file(f"{folder}/file")
    >>> contents.header, contents.arrays["ones"]
    ({'kind': 'demo'}, array([1, 1, 1], dtype=int32))
    """
    target = Path(path)
    if target.suffix in PACKED:
        raise ValueError(
            f"a model file is mapped, so it cannot be packed; leave {target.suffix} off {target}"
        )
    plain = {name: _plain(name, array) for name, array in arrays.items()}
    entries = _lay_out(plain)
    table = [entry._asdict() for entry in entries]
    encoded = write_header({"header": dict(header), "arrays": table})
    encoded += b" " * (-(_START.size + len(encoded)) % ALIGNMENT)
    start = _START.pack(_MAGIC, VERSION, len(encoded), _sum(np.frombuffer(encoded, np.uint8)))
    try:
        with open_write(target) as stream:
            stream.write(start + encoded)
            for entry, before in zip(entries, [0, *(entry.end for entry in entries)], strict=False):
                stream.write(bytes(entry.offset - before))
                for piece in _pieces(plain[entry.name]):
                    stream.write(piece)
    except OSError as error:
        if error.filename is None:  # a full disk does not say which file it is about
            raise OSError(error.errno, error.strerror, os.fspath(target)) from error
        raise


def read_file(path: str | os.PathLike[str], *, verify: bool = True) -> Contents:
    """Map a file read-only and return what is in it.

    Parameters
    ----------
    path
        A file that `write_file` wrote. It must not be changed in place while it is mapped;
        `write_file` never does that.
    verify
        Whether to compare the checksums of the arrays, which reads the whole file. The header and
        the places of the arrays are always checked.

    Raises
    ------
    ModelFileError
        For anything but a whole file of a known version.
    FileNotFoundError
        If there is no file.
    """
    try:
        mapped = _map(path)
        header, entries, data = _read_start(mapped)
        arrays = {entry.name: _view(mapped, entry, data) for entry in entries}
        contents = Contents(header, arrays, entries, len(mapped), mapped)
        if verify:
            _verify(mapped, entries, arrays, data)
            contents.release_pages()
    except ModelFileError as error:
        raise ModelFileError(f"{os.fspath(path)}: {error}") from None
    return contents


# Writing ----------------------------------------------------------------------------------------


def _plain(name: str, array: NDArray[Any]) -> NDArray[Any]:
    """Return the array as it lies in a file: contiguous and little-endian, no copy if it is so."""
    if not _NAME.fullmatch(name):
        raise ValueError(f"names of arrays have letters a-z, digits, _ and ., but one is {name!r}")
    if not 1 <= array.ndim <= _MAX_DIMENSIONS:
        raise ValueError(f"arrays have 1 or 2 dimensions, but {name} has {array.ndim}")
    if array.dtype.str[1:] not in DTYPES:
        raise TypeError(f"arrays are of {', '.join(DTYPES)}, but {name} has dtype {array.dtype}")
    return np.ascontiguousarray(array, array.dtype.newbyteorder("<"))


def _lay_out(arrays: Mapping[str, NDArray[Any]]) -> list[Entry]:
    entries: list[Entry] = []
    for name, array in arrays.items():
        offset = _aligned(entries[-1].end) if entries else 0
        checksum = f"{_sum(_bytes(array)):016x}"
        entries.append(Entry(name, array.dtype.str[1:], array.shape, offset, checksum))
    return entries


def _pieces(array: NDArray[Any]) -> Iterator[memoryview]:
    whole = _bytes(array).data
    for first in range(0, len(whole), _PIECE):
        yield whole[first : first + _PIECE]


def _bytes(array: NDArray[Any]) -> NDArray[np.uint8]:
    return array.reshape(-1).view(np.uint8)


def _sum(values: NDArray[np.uint8]) -> int:
    return _core.checksum(values, n_threads(None))


def _aligned(offset: int) -> int:
    return offset + -offset % ALIGNMENT


# Reading ----------------------------------------------------------------------------------------


def _map(path: str | os.PathLike[str]) -> mmap.mmap:
    # Without O_NONBLOCK a pipe would wait for somebody to write to it.
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    try:
        state = os.fstat(handle)
        if stat.S_ISDIR(state.st_mode):
            raise ModelFileError("it is a folder; a model is one file")
        if not stat.S_ISREG(state.st_mode):
            raise ModelFileError("it is a pipe or a device; copy it to a file first")
        if state.st_size == 0:
            raise ModelFileError("the file is empty; save the model again")
        return mmap.mmap(handle, 0, access=mmap.ACCESS_READ)
    finally:
        os.close(handle)


def _read_start(mapped: mmap.mmap) -> tuple[dict[str, Any], list[Entry], int]:
    """Return the header, the table of arrays and where their bytes begin."""
    if mapped[: len(_MAGIC)] != _MAGIC[: len(mapped)]:
        kind = (words for start, words in _OTHER_KINDS.items() if mapped[:4].startswith(start))
        raise ModelFileError(f"it is {next(kind, 'no labeltree model file')}")
    if len(mapped) < _START.size:
        raise ModelFileError(f"the file is cut off after {len(mapped)} bytes; get it again")
    _, version, length, checksum = _START.unpack_from(mapped)
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
    if _sum(np.frombuffer(encoded, np.uint8)) != checksum:
        raise ModelFileError("the header is damaged: its checksum is wrong. Get the file again")
    parts = read_header(encoded)
    if parts.keys() != {"header", "arrays"} or not isinstance(parts["header"], dict):
        raise ModelFileError('the header must be an object of "header" and "arrays"')
    return parts["header"], _read_table(parts["arrays"], len(mapped) - data), data


def _read_table(table: Any, n_bytes: int) -> list[Entry]:
    """Return the places of all arrays: within the file, in order, without gaps or overlaps."""
    if not isinstance(table, list):
        raise ModelFileError('"arrays" of the header must be a list')
    entries: list[Entry] = []
    names: set[str] = set()
    end = 0
    for number, fields in enumerate(table):
        entry = _read_entry(number, fields)
        if entry.name in names:
            raise ModelFileError(f"two arrays have the name {entry.name}")
        names.add(entry.name)
        _check_place(entry, end, n_bytes)
        end = entry.end
        entries.append(entry)
    if end != n_bytes:
        raise ModelFileError(
            f"the arrays end {n_bytes - end} bytes before the file; something was added to it"
        )
    return entries


def _read_entry(number: int, fields: Any) -> Entry:
    if not isinstance(fields, dict) or fields.keys() != _ENTRY.keys():
        raise ModelFileError(f"array {number} of the header must have {', '.join(_ENTRY)}")
    for key, kind in _ENTRY.items():
        if type(fields[key]) is not kind:  # True is no offset
            raise ModelFileError(
                f"{key} of array {number} must be {kind.__name__}, but is {fields[key]!r:.40}"
            )
    name, dtype, shape = fields["name"], fields["dtype"], fields["shape"]
    if not _NAME.fullmatch(name):
        raise ModelFileError(f"names of arrays have a-z, 0-9, _ and ., but one is {name!r:.40}")
    if dtype not in DTYPES:
        raise ModelFileError(f"array {name} has the unknown dtype {dtype!r:.40}")
    if not 1 <= len(shape) <= _MAX_DIMENSIONS or any(type(n) is not int or n < 0 for n in shape):
        raise ModelFileError(
            f"the shape of {name} must be 1 or 2 numbers of at least 0, but is {shape!r:.40}"
        )
    if not _CHECKSUM.fullmatch(fields["checksum"]):
        raise ModelFileError(f"the checksum of {name} must be 16 hexadecimal digits")
    return Entry(name, dtype, tuple(shape), fields["offset"], fields["checksum"])


def _check_place(entry: Entry, end: int, n_bytes: int) -> None:
    """Refuse an array that does not follow upon the one before, which ends at `end`."""
    name, offset = entry.name, entry.offset
    if offset < 0 or offset % ALIGNMENT:
        raise ModelFileError(
            f"offsets are multiples of {ALIGNMENT} from 0, but that of {name} is {offset}"
        )
    # Python's integers do not overflow, but an axis of length 0 could hide one that is too long.
    if entry.end > n_bytes or max(entry.shape) > _MAX_LENGTH:
        raise ModelFileError(
            f"array {name} of shape {list(entry.shape)} ends beyond the file; it is cut off or "
            "damaged, get it again"
        )
    if offset < end:
        raise ModelFileError(f"array {name} overlaps the one before")
    if offset != _aligned(end):
        raise ModelFileError(f"there is a gap before array {name}")


def _view(mapped: mmap.mmap, entry: Entry, data: int) -> NDArray[Any]:
    dtype = np.dtype(entry.dtype).newbyteorder("<")
    if entry.n_bytes == 0:
        array: NDArray[Any] = np.empty(entry.shape, dtype)
        array.flags.writeable = False
        return array
    flat = np.frombuffer(mapped, dtype, count=prod(entry.shape), offset=data + entry.offset)
    return flat.reshape(entry.shape)


def _verify(
    mapped: mmap.mmap, entries: list[Entry], arrays: Mapping[str, NDArray[Any]], data: int
) -> None:
    end = 0
    for entry in entries:
        if any(mapped[data + end : data + entry.offset]):
            raise ModelFileError(f"the bytes before array {entry.name} must be 0; get it again")
        found = f"{_sum(_bytes(arrays[entry.name])):016x}"
        if found != entry.checksum:
            raise ModelFileError(
                f"array {entry.name} is damaged: its checksum is {found}, but should be "
                f"{entry.checksum}. Get the file again"
            )
        end = entry.end
