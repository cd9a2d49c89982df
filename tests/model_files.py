"""Model files taken apart and put together again with correct checksums, for attacks on readers."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.reference import storage as reference

START = struct.Struct("<8sQQQ")
MAGIC = b"\x89LTM\r\n\x1a\n"


def assemble(encoded: bytes, data: bytes = b"", *, version: int = 1, magic: bytes = MAGIC) -> bytes:
    """Return a file with this header, padded and with its checksum."""
    encoded += b" " * (-(START.size + len(encoded)) % 64)
    return START.pack(magic, version, len(encoded), reference.checksum(encoded)) + encoded + data


def take_apart(file: bytes) -> tuple[dict[str, Any], bytes]:
    """Return the JSON and the bytes of the arrays."""
    length = START.unpack_from(file)[2]
    return json.loads(file[START.size : START.size + length]), file[START.size + length :]


def section(parts: dict[str, Any], name: str) -> dict[str, Any]:
    """Return a section of the JSON."""
    return next(found for found in parts["sections"] if found["name"] == name)


def entries(parts: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the arrays of all sections in the JSON."""
    return [entry for found in parts["sections"] for entry in found["arrays"]]


def edited(file: bytes, edit: Callable[[dict[str, Any]], None]) -> bytes:
    """Return the file with its JSON changed."""
    parts, data = take_apart(file)
    edit(parts)
    return assemble(json.dumps(parts).encode(), data)


def content_edit(name: str, *keys: str, value: object) -> Callable[[dict[str, Any]], None]:
    """Return what sets a value in the content of a section, or deletes it if None."""

    def edit(parts: dict[str, Any]) -> None:
        inner = section(parts, name)["content"]
        for key in keys[:-1]:
            inner = inner[key]
        if value is None:
            del inner[keys[-1]]
        else:
            inner[keys[-1]] = value

    return edit


def with_array(file: bytes, name: str, content: bytes) -> bytes:
    """Return the file with the bytes of an array replaced (same size) and its checksum updated."""
    parts, data = take_apart(file)
    entry = next(entry for entry in entries(parts) if entry["name"] == name)
    entry["checksum"] = f"{reference.checksum(content):016x}"
    end = entry["offset"] + len(content)
    return assemble(json.dumps(parts).encode(), data[: entry["offset"]] + content + data[end:])


def with_section(file: bytes, name: str, *, required: bool) -> bytes:
    """Return the file with one more section at the end, of a note and an array."""
    parts, data = take_apart(file)
    data += bytes(-len(data) % 64)
    array = np.arange(5, dtype=np.int32).tobytes()
    entry = {"name": f"{name}.values", "dtype": "i4", "shape": [5], "offset": len(data)}
    entry["checksum"] = f"{reference.checksum(array):016x}"
    added = {"name": name, "required": required, "content": {"note": "later"}, "arrays": [entry]}
    parts["sections"].append(added)
    return assemble(json.dumps(parts).encode(), data + array)


def arrays_of(path: Path) -> dict[str, NDArray[Any]]:
    """Return all arrays of a file by name, read as docs/reference/model-file.md describes it."""
    sections = reference.read_sections(path.read_bytes())
    return {name: array for found in sections.values() for name, array in found["arrays"].items()}


def put(folder: Path, file: bytes) -> Path:
    """Write a file and return its path."""
    path = folder / "attacked.lt"
    path.write_bytes(file)
    return path
