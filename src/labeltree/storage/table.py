"""The table of a file: its sections, and where the arrays of each are.

Nothing in a table is trusted before it is checked.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from labeltree import _core
from labeltree.storage.errors import ModelFileError
from labeltree.storage.section import NAME, Section
from labeltree.threads import n_threads

ALIGNMENT = 64
DTYPES = ("u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8", "f2", "f4", "f8")  # little-endian

_SECTION = {"name": str, "required": bool, "content": dict, "arrays": list}
_ENTRY = {"name": str, "dtype": str, "shape": list, "offset": int, "checksum": str}
_CHECKSUM = re.compile(r"[0-9a-f]{16}")
_MAX_DIMENSIONS = 2
_MAX_LENGTH = 1 << 40  # entries of an axis; numpy accepts that many for an empty array, too


class Entry(NamedTuple):
    """Where an array is; offsets count from the end of the header."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    offset: int
    checksum: str

    @property
    def n_bytes(self) -> int:
        """Bytes of the array."""
        return prod(self.shape) * int(self.dtype[1:])

    @property
    def end(self) -> int:
        """Where the bytes after the array begin."""
        return self.offset + self.n_bytes


class SectionEntry(NamedTuple):
    """A section as the header describes it."""

    name: str
    required: bool
    content: dict[str, Any]
    arrays: list[Entry]

    @property
    def n_bytes(self) -> int:
        """Bytes of all arrays."""
        return sum(entry.n_bytes for entry in self.arrays)


def aligned(offset: int) -> int:
    """Return the first multiple of the alignment from an offset on.

    Examples
    --------
    >>> aligned(64), aligned(65)
    (64, 128)
    """
    return offset + -offset % ALIGNMENT


def checksum(array: NDArray[Any], threads: int) -> str:
    """Return the checksum of docs/reference/model-file.md as 16 hexadecimal digits.

    Examples
    --------
    >>> checksum(np.zeros(3, np.int32), threads=1)
    '3dd8d0048935b325'
    """
    return f"{_core.checksum(_bytes(array), threads):016x}"


def checksums_of_map(arrays: Sequence[NDArray[Any]], threads: int) -> list[str]:
    """Return the checksums of arrays that are mapped read-only, releasing pages on the way.

    The pages of the last 64 MiB stay. Any other array would lose its content.
    """
    found = _core.checksums_of_map([_bytes(array) for array in arrays], threads)
    return [f"{one:016x}" for one in found]


def _bytes(array: NDArray[Any]) -> NDArray[np.uint8]:
    return array.reshape(-1).view(np.uint8)


# Writing ----------------------------------------------------------------------------------------


def write_table(sections: Iterable[Section]) -> tuple[dict[str, Any], list[NDArray[Any]]]:
    """Return the header of sections, and their arrays as they are written, in order.

    Examples
    --------
    >>> header, _ = write_table([Section("note", {"n": 1}, {"ones": np.ones(3, np.int32)})])
    >>> header["sections"][0]["arrays"][0]["shape"]
    (3,)
    """
    table: list[dict[str, Any]] = []
    arrays: list[NDArray[Any]] = []
    names: set[str] = set()
    end, threads = 0, n_threads(None)
    for section in sections:
        _check_new("section", section.name, {fields["name"] for fields in table})
        entries = []
        for name, array in section.arrays.items():
            _check_new("array", name, names)
            names.add(name)
            arrays.append(_plain(name, array))
            dtype, shape = arrays[-1].dtype.str[1:], arrays[-1].shape
            digits = checksum(arrays[-1], threads)
            entries.append(Entry(name, dtype, shape, aligned(end), digits))
            end = entries[-1].end
        fields = (section.name, section.required, dict(section.content))
        table.append(SectionEntry(*fields, entries)._asdict())
        table[-1]["arrays"] = [entry._asdict() for entry in entries]
    return {"sections": table}, arrays


def _check_new(what: str, name: str, names: set[str]) -> None:
    if not NAME.fullmatch(name):
        raise ValueError(f"names of {what}s have letters a-z, digits, _ and ., but one is {name!r}")
    if name in names:
        raise ValueError(f"names of {what}s must be unique, but {name} is there twice")


def _plain(name: str, array: NDArray[Any]) -> NDArray[Any]:
    """Return the array as it is in a file: contiguous and little-endian; a copy only if needed."""
    if not 1 <= array.ndim <= _MAX_DIMENSIONS:
        raise ValueError(f"arrays have 1 or 2 dimensions, but {name} has {array.ndim}")
    if array.dtype.str[1:] not in DTYPES:
        raise TypeError(f"arrays are of {', '.join(DTYPES)}, but {name} has dtype {array.dtype}")
    return np.ascontiguousarray(array, array.dtype.newbyteorder("<"))


# Reading ----------------------------------------------------------------------------------------


def read_table(header: dict[str, Any], n_bytes: int) -> list[SectionEntry]:
    """Return the sections of a header, whose arrays have this number of bytes in the file.

    Arrays are within the file, in order, without gaps or overlaps.
    """
    if header.keys() != {"sections"} or not isinstance(header["sections"], list):
        raise ModelFileError('the header must be an object with "sections", a list')
    sections: list[SectionEntry] = []
    section_names: set[str] = set()
    names: set[str] = set()
    end = 0
    for number, fields in enumerate(header["sections"]):
        section = _read_section(number, fields)
        if section.name in section_names:
            raise ModelFileError(f"two sections have the name {section.name}")
        section_names.add(section.name)
        end = _read_arrays(section, fields["arrays"], names, end, n_bytes)
        sections.append(section)
    if end != n_bytes:
        raise ModelFileError(
            f"the arrays end {n_bytes - end} bytes before the file; something was added to it"
        )
    return sections


def _read_section(number: int, fields: Any) -> SectionEntry:
    """Return a section without its arrays."""
    _check_fields(f"section {number}", fields, _SECTION)
    name = fields["name"]
    if not NAME.fullmatch(name):
        raise ModelFileError(f"names of sections have a-z, 0-9, _ and ., but one is {name!r:.40}")
    return SectionEntry(name, fields["required"], fields["content"], [])


def _read_arrays(
    section: SectionEntry, table: list[Any], names: set[str], end: int, n_bytes: int
) -> int:
    """Add the arrays of a section, which begin at `end`, and return where they end."""
    for number, fields in enumerate(table):
        entry = _read_entry(f"array {number} of section {section.name}", fields)
        if entry.name in names:
            raise ModelFileError(f"two arrays have the name {entry.name}")
        names.add(entry.name)
        end = _checked_end(entry, end, n_bytes)
        section.arrays.append(entry)
    return end


def _check_fields(what: str, fields: Any, kinds: dict[str, type]) -> None:
    if not isinstance(fields, dict) or fields.keys() != kinds.keys():
        raise ModelFileError(f"{what} must be an object with {', '.join(kinds)}")
    for key, kind in kinds.items():
        if type(fields[key]) is not kind:  # True is not an offset
            raise ModelFileError(
                f"{key} of {what} must be {kind.__name__}, but is {fields[key]!r:.40}"
            )


def _read_entry(what: str, fields: Any) -> Entry:
    _check_fields(what, fields, _ENTRY)
    name, dtype, shape = fields["name"], fields["dtype"], fields["shape"]
    if not NAME.fullmatch(name):
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


def _checked_end(entry: Entry, end: int, n_bytes: int) -> int:
    """Return where an array ends that follows the one before, which ends at `end`."""
    name, offset, own_end = entry.name, entry.offset, entry.end
    if offset < 0 or offset % ALIGNMENT:
        raise ModelFileError(
            f"offsets are multiples of {ALIGNMENT} from 0, but that of {name} is {offset}"
        )
    # Python's integers do not overflow, but an axis of length 0 could hide one that is too long.
    if own_end > n_bytes or max(entry.shape) > _MAX_LENGTH:
        raise ModelFileError(
            f"array {name} of shape {list(entry.shape)} ends beyond the file; it is cut off or "
            "damaged, get it again"
        )
    if offset < end:
        raise ModelFileError(f"array {name} overlaps the one before")
    if offset != aligned(end):
        raise ModelFileError(f"there is a gap before array {name}")
    return own_end
