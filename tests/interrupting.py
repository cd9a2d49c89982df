"""Ctrl-C during a native call."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Iterator

import pytest


@contextlib.contextmanager
def interrupted() -> Iterator[None]:
    """Expect KeyboardInterrupt from a call that checks for signals several times while it runs."""
    n_calls = 0

    def handler(*_: object) -> None:
        # If the call did not check for signals, they would all arrive as one after it returns.
        nonlocal n_calls
        n_calls += 1
        if n_calls == 4:
            raise KeyboardInterrupt

    former = signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)
    try:
        with pytest.raises(KeyboardInterrupt):
            yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, former)
