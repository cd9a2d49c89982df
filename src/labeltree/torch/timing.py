"""Times of steps on a device."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

import torch

FLUSHED_INTEGERS = 128 * 1024 * 1024  # 512 MB, several times the L2 cache of a GPU


class Timer:
    """Time of a step: on a GPU, the median with a cold cache; on a CPU, the shortest.

    Examples
    --------
    >>> Timer("cpu", repeats=3).time(lambda: None) < 1e6
    True
    """

    def __init__(self, device: Any, repeats: int) -> None:
        self._repeats = repeats
        self._flushed: Any = None
        if torch.device(device).type == "cuda":
            self._flushed = torch.empty(FLUSHED_INTEGERS, device=device, dtype=torch.int32)

    def time(self, step: Callable[[], Any], prepare: Callable[[int], None] | None = None) -> float:
        """Return microseconds."""
        times = []
        for i in range(self._repeats):
            if prepare is not None:
                prepare(i)
            times.append(_host_time(step) if self._flushed is None else self._device_time(step))
        # What else a processor does only adds time, and often more than the step takes.
        return min(times) if self._flushed is None else statistics.median(times)

    def _device_time(self, step: Callable[[], Any]) -> float:
        self._flushed.zero_()
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        step()
        end.record()
        torch.cuda.synchronize()
        return float(begin.elapsed_time(end)) * 1e3


def _host_time(step: Callable[[], Any]) -> float:
    begin = time.perf_counter()
    step()
    return (time.perf_counter() - begin) * 1e6


def captured(step: Callable[[], Any]) -> torch.cuda.CUDAGraph:
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
