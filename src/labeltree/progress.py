"""Progress reports for long-running fits."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from labeltree.units import format_seconds

#: Called with (done, total, name of the step); done and total are in the same unit.
Progress = Callable[[float, float, str], None]

_INTERVAL = 2.0  # seconds between two lines when no bar is shown


@contextmanager
def show_progress(*, quiet: bool = False, lines: bool = False) -> Iterator[Progress | None]:
    """Yield a callback that reports progress and time remaining to standard error, or None.

    Shows a progress bar if rich is installed and standard error is a terminal. Without rich, or if
    `lines` is set and standard error is not a terminal, it prints a line every two seconds.
    Otherwise nothing is reported.
    """
    if quiet or not (lines or sys.stderr.isatty()):
        yield None
        return
    if not sys.stderr.isatty():
        yield _Lines()
        return
    try:
        from rich.console import Console
        from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as Bar
    except ModuleNotFoundError:
        yield _Lines()
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TimeRemainingColumn(),
    )
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None)
        yield lambda done, total, name: bar.update(
            task, completed=done, total=total, description=name
        )


class _Lines:
    """Writes a line every two seconds and one at the end."""

    def __init__(self) -> None:
        self._start = self._last = time.monotonic()

    def __call__(self, done: float, total: float, name: str) -> None:
        now = time.monotonic()
        if done == 0:  # a new step begins, and its speed is not known yet
            self._start = now
        if done < total and now - self._last < _INTERVAL:
            return
        self._last = now
        print(progress_line(done, total, name, now - self._start), file=sys.stderr)


def progress_line(done: float, total: float, name: str, seconds: float) -> str:
    """Return the line that reports progress after the given number of seconds.

    Examples
    --------
    >>> progress_line(30.0, 120.0, "training", 10.0)
    'training: 25 %, 30s left'
    >>> progress_line(120.0, 120.0, "training", 40.0)
    'training: 100 %, 40s'
    """
    share = done / total if total else 1.0
    if share >= 1:
        return f"{name}: 100 %, {format_seconds(seconds)}"
    left = f", {format_seconds(seconds * (1 - share) / share)} left" if share else ""
    return f"{name}: {100 * share:.0f} %{left}"
