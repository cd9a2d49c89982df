"""Times of steps on a GPU, and the file of results."""

from __future__ import annotations

import json
import statistics
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

REPEATS = 15
FLUSHED_INTEGERS = 128 * 1024 * 1024  # 512 MB, several times the L2 cache


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


class Timer:
    """Median time of a step, with a cold cache and new labels in each run."""

    def __init__(self, repeats: int = REPEATS) -> None:
        self._repeats = repeats
        self._flushed = torch.empty(FLUSHED_INTEGERS, device="cuda", dtype=torch.int32)

    def median(
        self, step: Callable[[], Any], prepare: Callable[[int], None] | None = None
    ) -> float:
        """Return microseconds."""
        times = []
        for i in range(self._repeats):
            if prepare is not None:
                prepare(i)
            self._flushed.zero_()
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            begin.record()
            step()
            end.record()
            torch.cuda.synchronize()
            times.append(begin.elapsed_time(end) * 1e3)
        return statistics.median(times)


def graphed(step: Callable[[], Any]) -> torch.cuda.CUDAGraph:
    """Return the step as a CUDA graph."""
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            step()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step()
    return graph


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
