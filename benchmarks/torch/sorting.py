"""Times of sorting rows by group: by comparing all rows, and by torch.sort."""

from __future__ import annotations

from functools import partial

import torch

from benchmarks.torch.timing import Recorder
from labeltree.torch.kernels.launch import sort_keys
from labeltree.torch.timing import Timer, captured

N_GROUPS = 1000
SIZES = (1024, 4096, 8192, 16384)


def compare(recorder: Recorder, timer: Timer) -> None:
    """Record the microseconds of both, alone and in a CUDA graph, and whether they agree."""
    for n in SIZES:
        key = torch.randint(-1, N_GROUPS, (n,), device="cuda", dtype=torch.int16)
        found = {}
        wanted = torch.sort(key, stable=True)
        values, order = sort_keys(key, N_GROUPS)
        is_same = torch.equal(values, wanted.values) and torch.equal(order, wanted.indices)
        for name, sort in (
            ("ranked", partial(sort_keys, key, N_GROUPS)),
            ("sorted", partial(torch.sort, key, stable=True)),
        ):
            found[f"{name}_eager_us"] = timer.time(sort)
            found[f"{name}_us"] = timer.time(captured(sort).replay)
        recorder.add(what="sort", n_rows=n, is_same=is_same, **found)
