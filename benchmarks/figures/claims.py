"""Claims of results files, so that several runs can share the parts."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def claimed(folder: Path, name: str, *, wait: bool = False) -> Iterator[bool]:
    """Yield whether nobody else has claimed this name, and keep others from it until the end.

    Parameters
    ----------
    folder
        Folder of the claims.
    name
        What is claimed, such as a results file.
    wait
        Whether to wait until it is free.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with claimed(Path(folder), "a") as first, claimed(Path(folder), "a") as second:
    ...         print(first, second)
    True False
    """
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / f"{name}.lock").open("w") as lock:
        try:
            # The system gives it up when the process ends, however it ends.
            fcntl.flock(lock, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError:
            yield False
        else:
            yield True
