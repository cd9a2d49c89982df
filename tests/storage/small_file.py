"""A small file of two sections."""

from pathlib import Path

import numpy as np

from labeltree.storage import Section, write_file

ARRAYS = {
    "numbers": np.arange(5, dtype=np.int32),
    "empty": np.zeros((0, 3), np.float32),
    "table": np.arange(6, dtype=np.float32).reshape(2, 3),
}
BYTES = {"bytes": np.arange(3, dtype=np.uint8)}
SECTIONS = [Section("first", {"n": 3}, ARRAYS), Section("second", {}, BYTES, required=False)]
NAMES = {"first", "second"}


def small_file(folder: Path) -> Path:
    """Write the sections and return where."""
    path = folder / "file.lt"
    write_file(path, SECTIONS)
    return path
