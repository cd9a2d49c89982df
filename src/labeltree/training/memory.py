"""Memory that this process has held."""

from __future__ import annotations

import resource
import sys


def peak_memory() -> int:
    """Return the most bytes that this process has held at once, as the operating system counts.

    Examples
    --------
    >>> peak_memory() > 1_000_000
    True
    """
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return int(peak if sys.platform == "darwin" else peak * 1024)
