"""Pickles without large arrays: these are in files, which all workers of a machine map."""

from __future__ import annotations

import io
import mmap
import os
import pickle
import shutil
import socket
import tempfile
import uuid
import weakref
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

_MIN_BYTES = 1 << 16  # smaller arrays are part of the pickle
_ALIGNMENT = 64  # bytes that arrays in the same file begin at multiples of
# Bytes that a walk over mapped arrays leaves in memory: a share of what it may use, within bounds.
_MIN_PAGES, _MAX_PAGES, _PAGES_SHARE = 1 << 22, 1 << 25, 16
_OWN = f"labeltree-{socket.gethostname()}"


class Pickled(NamedTuple):
    """A pickle, and the arrays in files that it refers to.

    Some of them may exist only because the value was pickled, so their files exist as long as this.
    """

    content: bytes
    arrays: list[NDArray[Any]]


class ArrayFiles:
    """A folder with one file for each large array, which exists as long as the array.

    Parameters
    ----------
    parent
        Folder in which a folder is made; that of temporary files if None. All workers read it.
    is_shared
        Whether workers can read the file that an array is mapped from. Such an array needs no file
        of its own. None for all files.
    """

    def __init__(
        self, parent: Path | None = None, is_shared: Callable[[Path], bool] | None = None
    ) -> None:
        self.folder = new_folder(parent)
        self._is_shared = is_shared or (lambda path: True)
        self._paths: dict[int, Path] = {}
        self._n_files = 0
        self._finalizer = weakref.finalize(self, shutil.rmtree, self.folder, ignore_errors=True)

    def close(self) -> None:
        """Remove the folder; workers that have mapped its files keep them."""
        self._finalizer()

    def dumps(self, value: Any) -> Pickled:
        """Return the pickle of a value, in which large arrays are the places of their files."""
        stream, arrays = io.BytesIO(), list[NDArray[Any]]()
        _Pickler(stream, self, arrays).dump(value)
        return Pickled(stream.getvalue(), arrays)

    def place(self, array: NDArray[Any]) -> tuple[str, int]:
        """Return the file of an array, and where in it the array begins."""
        mapped = _mapped_place(array)
        if mapped is not None and self._is_shared(mapped[0]):
            return str(mapped[0]), mapped[1]
        path = self._paths.get(id(array))
        if path is None:
            path = self._write(array)
            self._paths[id(array)] = path
            weakref.finalize(array, _forget, weakref.ref(self), id(array))
        return str(path), 0

    def _write(self, array: NDArray[Any]) -> Path:
        path = self.folder / str(self._n_files)
        self._n_files += 1
        array.tofile(path)
        return path

    def forget(self, number: int) -> None:
        """Remove the file of an array that is gone."""
        self._paths.pop(number).unlink(missing_ok=True)


def _forget(files: weakref.ref[ArrayFiles], number: int) -> None:
    if (existing := files()) is not None:
        existing.forget(number)


class _Pickler(pickle.Pickler):
    def __init__(self, stream: io.BytesIO, files: ArrayFiles, arrays: list[NDArray[Any]]) -> None:
        super().__init__(stream, protocol=pickle.HIGHEST_PROTOCOL)
        self._files, self._arrays = files, arrays

    def reducer_override(self, value: Any) -> Any:
        if not is_large(value):
            return NotImplemented
        self._arrays.append(value)
        return open_array, (*self._files.place(value), value.dtype.str, value.shape)


class _FilePickler(pickle.Pickler):
    """Writes large arrays to one file, which exists from the first of them."""

    def __init__(self, stream: io.BytesIO, path: Path) -> None:
        super().__init__(stream, protocol=pickle.HIGHEST_PROTOCOL)
        self._path, self.n_bytes = path, 0

    def reducer_override(self, value: Any) -> Any:
        if not is_large(value):
            return NotImplemented
        padding = bytes(-value.nbytes % _ALIGNMENT)
        with self._path.open("ab") as file:
            file.write(value.data)
            file.write(padding)
        offset, self.n_bytes = self.n_bytes, self.n_bytes + value.nbytes + len(padding)
        return open_array, (str(self._path), offset, value.dtype.str, value.shape)


class StoredValue(NamedTuple):
    """A value on its way to another process, with its large arrays in a file."""

    content: bytes
    path: str | None  # None without large arrays

    @classmethod
    def of(cls, value: Any, folder: Path) -> StoredValue:
        """Return a value whose large arrays are written to a new file."""
        stream, path = io.BytesIO(), folder / uuid.uuid4().hex
        pickler = _FilePickler(stream, path)
        pickler.dump(value)
        return cls(stream.getvalue(), str(path) if pickler.n_bytes else None)

    def take(self) -> Any:
        """Return the value. Its arrays are mapped from the file, which loses its name."""
        value = pickle.loads(self.content)
        if self.path is not None:
            Path(self.path).unlink()
        return value


def is_large(value: Any) -> bool:
    """Return whether a value is an array that is worth a place of its own."""
    return (
        isinstance(value, np.ndarray)
        and value.nbytes >= _MIN_BYTES
        and value.flags.c_contiguous
        and not value.dtype.hasobject
    )


def new_folder(parent: Path | None) -> Path:
    """Return a new folder; if this process is killed, the next one removes it.

    `parent` is the folder that it is in, None for that of temporary files.
    """
    within = Path(tempfile.gettempdir()) if parent is None else parent
    _remove_leftovers(within)
    return Path(tempfile.mkdtemp(prefix=f"{_OWN}-{os.getpid()}-", dir=within))


def _remove_leftovers(parent: Path) -> None:
    """Remove folders of processes of this machine that were killed."""
    for folder in parent.glob(f"{_OWN}-*"):
        process = folder.name.removeprefix(f"{_OWN}-").partition("-")[0]
        if process.isdigit() and not Path("/proc", process).exists() and Path("/proc").exists():
            shutil.rmtree(folder, ignore_errors=True)


def open_array(path: str, offset: int, dtype: str, shape: tuple[int, ...]) -> NDArray[Any]:
    """Return an array that is mapped from a file, read-only."""
    return np.asarray(np.memmap(path, dtype, "r", offset, shape))


def map_of(array: NDArray[Any]) -> np.memmap[Any, Any] | mmap.mmap | None:
    """Return the map of a file that an array is a view of; None if it is in memory.

    Examples
    --------
    >>> map_of(np.ones(3)) is None
    True
    """
    base: Any = array
    while isinstance(base, np.ndarray | memoryview):
        if isinstance(base, np.memmap) and isinstance(base.base, mmap.mmap):
            return base
        base = base.obj if isinstance(base, memoryview) else base.base
    return base if isinstance(base, mmap.mmap) else None


def is_shared_map(array: NDArray[Any]) -> bool:
    """Return whether an array is a view of a file, and has no changes that the file lacks."""
    base = map_of(array)
    return isinstance(base, np.memmap) and base.mode != "c"


def page_bytes(arrays: Iterable[NDArray[Any]], max_memory: float | None) -> int:
    """Return the bytes of files that a walk over arrays may leave in memory; 0 for all.

    Examples
    --------
    >>> page_bytes([np.ones(3)], max_memory=1e6)
    0
    """
    if max_memory is None or not all(is_shared_map(array) for array in arrays):
        return 0
    return pages_within(max_memory)


def pages_within(max_memory: float) -> int:
    """Return the bytes of files that a walk over mapped arrays may leave in memory."""
    return int(min(max(_MIN_PAGES, max_memory / _PAGES_SHARE), _MAX_PAGES))


def _mapped_place(array: NDArray[Any]) -> tuple[Path, int] | None:
    """Return the file that an array is mapped from, and where it begins; None if it is not."""
    base = map_of(array)
    # A file that was opened without a name cannot be opened again.
    if not isinstance(base, np.memmap) or base.filename is None or base.mode == "c":
        return None
    path = Path(base.filename)
    if not path.is_file():
        return None
    return path.resolve(), base.offset + array.ctypes.data - base.ctypes.data
