"""Logs: one line of JSON per event, on standard error, without texts."""

from __future__ import annotations

import os
import sys
import time
from typing import Any

from labeltree.serve.messages import encode


def log(event: str, **fields: Any) -> None:
    """Write an event; a log that nobody reads any more does not stop the server."""
    line = encode({"time": round(time.time(), 6), "event": event, "pid": os.getpid(), **fields})
    try:
        # One call, so that lines of several workers do not mix.
        os.write(sys.stderr.fileno(), line + b"\n")
    except (OSError, ValueError):
        return
