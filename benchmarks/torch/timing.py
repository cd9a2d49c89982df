"""The memory of steps on a GPU, and the file of results."""

from __future__ import annotations

import json
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch


class Recorder:
    """Write each result at once, so that a run that breaks off loses nothing."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._results: list[dict[str, Any]] = []
        path.parent.mkdir(parents=True, exist_ok=True)

    def add(self, **result: Any) -> None:
        """Append one result, and print it."""
        rounded = {k: float(f"{v:.5g}") if isinstance(v, float) else v for k, v in result.items()}
        self._results.append(rounded)
        self._path.write_text(json.dumps(self._results, indent=1) + "\n")
        print(" ".join(f"{k}={v}" for k, v in rounded.items()), flush=True)

    def part(self, name: str, run: Callable[[], None]) -> None:
        """Run one part; record its error instead of raising it."""
        start = time.perf_counter()
        try:
            run()
        except Exception as error:  # the other parts are still worth their time
            traceback.print_exc(limit=6)
            self.add(part=name, error=f"{type(error).__name__}: {error}"[:300])
        torch.cuda.empty_cache()
        print(f"[{name}: {time.perf_counter() - start:.1f} s]", flush=True)


def transient_bytes(step: Callable[[], Any]) -> int:
    """Return the memory that a step needs besides what it leaves."""
    step()
    torch.cuda.synchronize()
    torch.cuda.empty_cache()
    before = torch.cuda.memory_allocated()
    torch.cuda.reset_peak_memory_stats()
    step()
    torch.cuda.synchronize()
    return torch.cuda.max_memory_allocated() - before
