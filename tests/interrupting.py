"""Ctrl-C in the middle of a native call."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Iterator

import pytest


@contextlib.contextmanager
def interrupted() -> Iterator[None]:
    """Expect KeyboardInterrupt from a call that looks at signals several times while it runs."""
    n_calls = 0

    def handler(*_: object) -> None:
        # Without a look at signals during the call, all of them would be one after it.
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
