"""Model files taken apart and put together again with right checksums, for attacks on readers."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.reference import storage as reference

START = struct.Struct("<8sQQQ")
MAGIC = b"\x89LTM\r\n\x1a\n"


def assemble(encoded: bytes, data: bytes = b"", *, version: int = 1, magic: bytes = MAGIC) -> bytes:
    """Return a file with this text as header, padded and with its checksum."""
    encoded += b" " * (-(START.size + len(encoded)) % 64)
    return START.pack(magic, version, len(encoded), reference.checksum(encoded)) + encoded + data


def take_apart(file: bytes) -> tuple[dict[str, Any], bytes]:
    """Return the JSON and the bytes of the arrays."""
    length = START.unpack_from(file)[2]
    return json.loads(file[START.size : START.size + length]), file[START.size + length :]


def edited(file: bytes, edit: Callable[[dict[str, Any]], None]) -> bytes:
    """Return the file with its JSON changed."""
    parts, data = take_apart(file)
    edit(parts)
    return assemble(json.dumps(parts).encode(), data)


def with_array(file: bytes, name: str, content: bytes) -> bytes:
    """Return the file with the bytes of an array replaced by as many others, and its checksum."""
    parts, data = take_apart(file)
    entry = next(entry for entry in parts["arrays"] if entry["name"] == name)
    entry["checksum"] = f"{reference.checksum(content):016x}"
    end = entry["offset"] + len(content)
    return assemble(json.dumps(parts).encode(), data[: entry["offset"]] + content + data[end:])


def put(folder: Path, file: bytes) -> Path:
    """Write a file and return where."""
    path = folder / "attacked.lt"
    path.write_bytes(file)
    return path
