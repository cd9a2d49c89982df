"""Calls that run while their caller does something else."""

from __future__ import annotations

import _thread
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from threading import Lock
from types import TracebackType
from typing import Self


class Background:
    """Runs calls one after the other, in their order, on a thread if there is one.

    If memory is short, a thread may end before its first line, and `threading.Thread.start` then
    waits for it forever (python/cpython#140746). So nothing here waits for a thread: `finish` runs
    what no thread has taken. Leave the context to drop calls that have not begun.

    Parameters
    ----------
    has_thread
        Whether calls may run on a thread. If not, `finish` runs them.

    Examples
    --------
    >>> found = []
    >>> with Background() as background:
    ...     background.submit(lambda: found.append(1))
    ...     background.submit(lambda: found.append(2))
    ...     background.finish()
    >>> found
    [1, 2]
    """

    def __init__(self, *, has_thread: bool = True) -> None:
        self._has_thread = has_thread
        self._waiting: deque[Callable[[], object]] = deque()
        self._is_running = Lock()  # held by whoever runs calls
        self._failure: BaseException | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._waiting.clear()
        with self._is_running:  # until the call that has begun is done
            pass

    def submit(self, call: Callable[[], object]) -> None:
        """Run a call soon, or in `finish`."""
        self._waiting.append(call)
        if not self._has_thread or self._is_running.locked():  # `finish` or a thread takes it
            return
        with suppress(RuntimeError, MemoryError):  # no thread to be had
            _thread.start_new_thread(self._run, ())

    def finish(self) -> None:
        """Return when all calls are done; raise what the first one that failed has raised."""
        self._run()
        failure, self._failure = self._failure, None
        if failure is not None:
            raise failure

    def _run(self) -> None:
        with self._is_running:
            while self._waiting and self._failure is None:
                try:
                    self._waiting.popleft()()
                except BaseException as error:  # of the caller, who is told in `finish`
                    self._failure = error
