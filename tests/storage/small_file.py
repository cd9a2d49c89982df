"""A small file of a header and arrays."""

from pathlib import Path

import numpy as np

from labeltree.storage import write_file

ARRAYS = {
    "numbers": np.arange(5, dtype=np.int32),
    "empty": np.zeros((0, 3), np.float32),
    "table": np.arange(6, dtype=np.float32).reshape(2, 3),
    "bytes": np.arange(3, dtype=np.uint8),
}


def small_file(folder: Path) -> Path:
    """Write the arrays and return where."""
    path = folder / "file.lt"
    write_file(path, {"kind": "test", "n": 3}, ARRAYS)
    return path
