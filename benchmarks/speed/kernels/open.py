"""How fast a 100 MB file of arrays is opened, with and without its checksums, from page cache."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.speed.timing import timed
from labeltree.storage import ModelFileError, Section, read_file, write_file
from labeltree.threads import n_threads

MEGABYTES = 100
_KNOWN = {"arrays"}


def generate(seed: int) -> dict[str, NDArray[Any]]:
    """Arrays of a model's kinds: ends, numbers and weights."""
    rng = np.random.default_rng(seed)
    n = MEGABYTES * 1_000_000 // 9
    return {
        "indptr": np.arange(n // 8),
        "features": rng.integers(2**31, size=n, dtype=np.int32),
        "values": rng.standard_normal(n, np.float32),
    }


def resident_mb(path: Path) -> float:
    """Megabytes of a mapped file that this process holds; NaN where the system does not tell."""
    smaps = Path("/proc/self/smaps")
    if not smaps.exists():
        return float("nan")
    lines = iter(smaps.read_text().splitlines())
    for line in lines:
        if line.endswith(str(path)):
            return next(int(line.split()[1]) for line in lines if line.startswith("Rss:")) / 1000
    return 0.0


def _damage_is_found(path: Path) -> bool:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    broken = path.with_name("broken")
    broken.write_bytes(content)
    try:
        read_file(broken, known=_KNOWN)
    except ModelFileError:
        return True
    return False


def _milliseconds(path: Path, repeats: int, *, verify: bool) -> dict[str, float]:
    took, _ = timed(lambda: read_file(path, known=_KNOWN, verify=verify), repeats)
    return {
        "ms": round(1000 * took.median, 2),
        "ms_slowest": round(1000 * max(took.seconds), 2),
        "ms_fastest": round(1000 * min(took.seconds), 2),
    }


def measure(*, repeats: int = 21, seed: int = 0) -> dict[str, Any]:
    """Median milliseconds to open, after checking that what comes back is what was written."""
    arrays = generate(seed)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file"
        start = time.perf_counter()
        write_file(path, [Section("arrays", {}, arrays)])
        written = time.perf_counter() - start
        contents = read_file(path, known=_KNOWN)
        resident = resident_mb(path)
        found = contents.sections["arrays"].arrays
        assert all(np.array_equal(found[name], arrays[name]) for name in arrays)
        assert _damage_is_found(path)
        return {
            "name": "open",
            "threads": n_threads(None),
            "seed": seed,
            "megabytes": round(contents.n_bytes / 1e6, 1),
            "write_and_sync_s": round(written, 2),
            "open": _milliseconds(path, repeats, verify=False),
            "open_and_verify": _milliseconds(path, repeats, verify=True),
            "resident_mb_after_verify": round(resident, 2),
        }
