"""Peak memory of the current process."""

from __future__ import annotations

import resource
import sys


def peak_memory() -> int:
    """Return the maximum resident memory of this process so far in bytes.

    Examples
    --------
    >>> peak_memory() > 1_000_000
    True
    """
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return int(peak if sys.platform == "darwin" else peak * 1024)
