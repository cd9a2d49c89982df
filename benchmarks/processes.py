"""Work in processes of their own, so that what other work left in memory does not count."""

from __future__ import annotations

import atexit
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import forkserver, get_context
from typing import Any, TypeVar

Result = TypeVar("Result")


def in_new_process(
    work: Callable[..., Result], *arguments: Any, timeout_s: float | None = None, **options: Any
) -> Result:
    """Return the result of a function of a module, called in a process that has only imported it.

    The module is imported once for all calls, by the server that the processes are forked from.
    Work that takes longer than `timeout_s` is ended, with TimeoutError.

    Examples
    --------
    >>> import math
    >>> in_new_process(math.hypot, 3, 4)
    5.0
    """
    context = get_context("forkserver")
    context.set_forkserver_preload([work.__module__])
    # A server that nobody waits for is missing from the CPU time of this process.
    atexit.unregister(forkserver._forkserver._stop)
    atexit.register(forkserver._forkserver._stop)
    with ProcessPoolExecutor(1, context) as pool:
        job = pool.submit(work, *arguments, **options)
        try:
            return job.result(timeout_s)
        except TimeoutError:
            for process in pool._processes.values():
                process.kill()
            raise
