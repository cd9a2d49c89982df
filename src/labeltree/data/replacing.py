"""Files that take the place of others once all their bytes are on the disk."""

from __future__ import annotations

import os
import re
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

try:
    import fcntl
except ImportError:  # Windows, which neither removes nor replaces open files, so they need no locks
    fcntl = None  # type: ignore[assignment]

#: Suffix of a file that is being written; it is locked until it has its final name.
TEMPORARY = ".part"


@contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """A file beside the path to write to, which takes the path if the block succeeds.

    It has the permissions, and if possible the owner and group, of the file that it replaces. What
    killed processes left of their writes to the path is removed.
    """
    remove_leftovers(path)
    beside, raw = _locked_beside(path)
    try:
        with raw:
            if path.exists():
                _copy_access(path, raw.fileno())
            yield raw
            raw.flush()
            os.fsync(raw.fileno())
            if fcntl is not None:
                beside.replace(path)  # while it is locked, so that nobody takes it for a leftover
        if fcntl is None:
            _replace_closed(beside, path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def lock(file: IO[bytes] | int, wait: bool = True) -> None:
    """Lock a file against other processes until it is closed."""
    if fcntl is not None:
        fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))


def remove_leftovers(path: Path) -> None:
    """Remove unfinished files of the path whose process has ended and so holds no lock."""
    name = re.compile(rf"\.{re.escape(path.name)}\.[0-9a-f]{{8}}{re.escape(TEMPORARY)}")
    with suppress(OSError), os.scandir(path.parent) as entries:
        for found in [entry.path for entry in entries if name.fullmatch(entry.name)]:
            with suppress(OSError), Path(found).open("rb") as leftover:
                lock(leftover, wait=False)
                Path(found).unlink()


def _locked_beside(path: Path) -> tuple[Path, IO[bytes]]:
    """Return a new file with a lock; another one if it was removed before it was locked."""
    mode = 0o600 if path.exists() else 0o666  # until it has the permissions of the path
    while True:
        beside = path.with_name(f".{path.name}.{secrets.token_hex(4)}{TEMPORARY}")
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        handle = os.open(beside, flags, mode)
        raw = os.fdopen(handle, "wb")
        with suppress(OSError):  # file systems without locks
            lock(raw)
        if os.fstat(handle).st_nlink:
            return beside, raw
        raw.close()


def _replace_closed(beside: Path, path: Path) -> None:
    try:
        beside.replace(path)
    except PermissionError as error:
        rule = "it cannot be replaced while it is open or mapped; write to another file"
        raise PermissionError(error.errno, rule, str(path)) from error


def _copy_access(path: Path, handle: int) -> None:
    if fcntl is None:  # a new file has the rights of its folder
        return
    before, made = path.stat(), os.fstat(handle)
    mode = stat.S_IMODE(before.st_mode) & 0o777
    if (made.st_uid, made.st_gid) != (before.st_uid, before.st_gid):
        try:
            os.fchown(handle, before.st_uid, before.st_gid)
        except PermissionError:
            try:
                os.fchown(handle, -1, before.st_gid)
            except PermissionError:
                mode &= 0o707  # the rights of a group are not for another group
    os.fchmod(handle, mode)


def sync_folder(folder: Path) -> None:
    """Make the names of new files in a folder durable."""
    if fcntl is None:  # Windows does not open folders
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
