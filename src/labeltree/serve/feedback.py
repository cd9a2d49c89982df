"""Feedback on disk: one line of JSON each, written and synced before it is acknowledged."""

from __future__ import annotations

import os
import secrets
import time
from pathlib import Path
from typing import Any

from labeltree.data.replacing import lock, sync_folder
from labeltree.serve.messages import FeedbackRequest, encode
from labeltree.serve.problems import RequestError


class FeedbackFile:
    """A JSONL file that several processes append to.

    Parameters
    ----------
    path
        The file; it is created, and may be moved away at any time.
    """

    def __init__(self, path: str) -> None:
        self.path = path

    def append(self, records: list[dict[str, Any]]) -> None:
        """Write one line each, all or none; they then survive kill -9 and loss of power."""
        line = b"".join(encode(record) + b"\n" for record in records)
        is_new = not Path(self.path).exists()
        file = os.open(self.path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            lock(file)
            self._append(file, line)
            os.fsync(file)
        finally:
            os.close(file)
        if is_new:
            sync_folder(Path(self.path).resolve().parent)

    def _append(self, file: int, line: bytes) -> None:
        size = os.fstat(file).st_size
        if size and os.pread(file, 1, size - 1) != b"\n":
            line = b"\n" + line  # the process was killed within the last line
        try:
            written = 0
            while written < len(line):
                written += os.write(file, line[written:])
        except OSError:  # a full disk: nothing of a line that was not acknowledged stays
            os.ftruncate(file, size)
            raise


def feedback_record(request: FeedbackRequest, model: str, version: str) -> dict[str, Any]:
    """Return the line of a request: `tags` is what `labeltree update` learns."""
    tags = list(dict.fromkeys([*request.accepted, *request.added]))
    both = [label for label in tags if label in request.rejected]
    if both:
        raise RequestError(
            422, f"a label cannot be both right and rejected, but {both[0]!r:.100} is"
        )
    if not tags and not request.rejected:
        raise RequestError(422, "feedback must accept, reject or add a label, but has none")
    return {
        "id": secrets.token_hex(8),
        "time": time.time(),
        "model": model,
        "version": version,
        "text": request.text,
        "tags": tags or None,
        "rejected": request.rejected,
        "added": request.added,
    }
