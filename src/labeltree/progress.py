"""Progress reports for long-running work."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from labeltree.units import format_seconds

#: Called with (done, total, name of the stage); done and total are in the same unit. A total of 0
#: means that it is unknown. The name may end in ": " and a detail of the stage.
Progress = Callable[[float, float, str], None]

_INTERVAL = 2.0  # seconds between two lines when no bar is shown; long stages print fewer


@contextmanager
def show_progress(*, quiet: bool = False, lines: bool = False) -> Iterator[Progress | None]:
    """Yield a callback that reports progress and time remaining to standard error, or None.

    Shows a progress bar if rich is installed and standard error is a terminal. Without rich, or if
    `lines` is set and standard error is not a terminal, it prints a line when a stage ends, and
    every two seconds before that. Otherwise nothing is reported.
    """
    if quiet or not (lines or sys.stderr.isatty()):
        yield None
        return
    if not sys.stderr.isatty():
        yield Lines()
        return
    try:
        from rich.console import Console
        from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
        from rich.progress import Progress as Bar
    except ModuleNotFoundError:
        yield Lines()
        return
    # rich forgets reports older than 30 seconds, and then shows no time remaining.
    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[text]}"))
    console = Console(stderr=True)
    with Bar(*columns, TimeElapsedColumn(), console=console, transient=True) as bar:
        yield _Bars(bar)


@contextmanager
def show_stage(name: str, *, quiet: bool = False, lines: bool = True) -> Iterator[None]:
    """Report one stage whose progress is unknown; see `show_progress`."""
    with show_progress(quiet=quiet, lines=lines) as progress:
        if progress is not None:
            progress(0.0, 0.0, name)
        yield
        if progress is not None:
            progress(1.0, 1.0, name)


def of_stage(name: str, progress: Progress | None) -> Progress | None:
    """Return a callback whose names become details of one stage; None for None."""
    if progress is None:
        return None
    return lambda done, total, detail: progress(
        done, total, f"{name}: {detail}" if detail and done < total else name
    )


class StageClock:
    """The current stage: when it began, and how much of it was done then."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self.name, self.start, self._first = "", clock(), 0.0

    def is_new(self, name: str) -> bool:
        """Return whether the name is that of another stage than the current one."""
        return name.partition(": ")[0] != self.name

    def begin(self, name: str, share: float) -> None:
        """Begin a stage; work that is done already says nothing about the speed."""
        self.name, self.start, self._first = name.partition(": ")[0], self._clock(), share

    @property
    def seconds(self) -> float:
        """Seconds since the stage began."""
        return self._clock() - self.start

    def left(self, share: float) -> float | None:
        """Return the estimated number of seconds left; None if the speed is unknown."""
        if share <= self._first:
            return None
        return self.seconds * (1 - share) / (share - self._first)


class Lines:
    """Prints a line when a stage ends, and every two seconds before that."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._stage, self._clock = StageClock(clock), clock
        self._last = clock()
        self._is_over = True

    def __call__(self, done: float, total: float, name: str) -> None:
        share = done / total if total else 0.0
        if self._stage.is_new(name):
            self._end()
            self._stage.begin(name, share)
            self._last, self._is_over = self._clock(), False
        if share >= 1:
            self._end()
        elif total and self._clock() - self._last >= max(_INTERVAL, self._stage.seconds / 10):
            self._last = self._clock()
            print(progress_line(share, name, self._stage.left(share)), file=sys.stderr)

    def _end(self) -> None:
        if not self._is_over:
            line = f"{self._stage.name}: {format_seconds(self._stage.seconds)}"
            print(line, file=sys.stderr, flush=True)
        self._is_over = True


class _Bars:
    """Shows one bar, that of the current stage."""

    def __init__(self, bar: Any) -> None:
        self._bar, self._stage = bar, StageClock()
        self._task: Any = None

    def __call__(self, done: float, total: float, name: str) -> None:
        share = done / total if total else 0.0
        if self._stage.is_new(name):
            self._stage.begin(name, share)
            if self._task is not None:
                self._bar.remove_task(self._task)
            self._task = self._bar.add_task("", total=None, text="")
        left = self._stage.left(share)
        text = f"{100 * share:.0f} %" if total else ""
        text += f", {format_seconds(left)} left" if left else ""
        self._bar.update(
            self._task,
            description=name,
            completed=share,
            total=1.0 if total else None,
            text=text,
        )


def progress_line(share: float, name: str, left: float | None) -> str:
    """Return the line that reports the share of the work done and the seconds left.

    Examples
    --------
    >>> progress_line(0.25, "training", 30.0)
    'training: 25 %, 30s left'
    """
    rest = "" if left is None else f", {format_seconds(left)} left"
    return f"{name}: {100 * share:.0f} %{rest}"
