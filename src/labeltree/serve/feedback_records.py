"""Feedback that was written, read again for learning. Needs nothing but the base install."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

_MAX_LINE = 1 << 26  # bytes; no request is as long


def read_records(path: str, start: int = 0) -> tuple[list[dict[str, Any]], int]:
    """Return the records with labels from a position on, and the position after the last line.

    A record without right labels, such as one that only rejects, has nothing to learn. A line that
    broke off, because a server was killed while it wrote it, was never acknowledged. Both are left
    out.
    """
    if not Path(path).exists():
        return [], start
    with Path(path).open("rb") as file:
        size = file.seek(0, 2)
        position = start if start <= size else 0  # the file was replaced by a new one
        file.seek(position)
        records = []
        while (line := file.readline(_MAX_LINE)).endswith(b"\n"):
            position += len(line)
            record = _record(line)
            if record is not None:
                records.append(record)
    return records, position


def _record(line: bytes) -> dict[str, Any] | None:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    is_record = isinstance(record, dict) and isinstance(record.get("text"), str)
    tags = record.get("tags") if is_record else None
    return record if isinstance(tags, list) and tags else None
