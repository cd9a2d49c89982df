"""How far a long command is: a bar on a terminal, else nothing."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from labeltree.plan import Progress


@contextmanager
def progress_bar(*, quiet: bool) -> Iterator[Progress | None]:
    """Give a callback that moves a bar on standard error; None where nobody would see it."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    try:
        from rich.console import Console
        from rich.progress import Progress as Bar
    except ModuleNotFoundError:
        yield lambda done, total, name: print(_line(done, total, name), end="", file=sys.stderr)
        return
    with Bar(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None)
        yield lambda done, total, name: bar.update(
            task, completed=done, total=total, description=name
        )


def _line(done: int, total: int, name: str) -> str:
    # Back to the start of the line, and clear it.
    return f"\r\x1b[K{done + 1} of {total}: {name}" if name else "\r\x1b[K"
