"""Copy lists of different lengths, such as rows of a sparse matrix."""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor


@triton.jit
def copy_lists(
    chosen, starts, offsets, numbers, values, to_numbers, to_values,
    HAS_VALUES: tl.constexpr, LANES: tl.constexpr,
):  # fmt: skip
    """Copy the numbers and values of one chosen list per program to its offset."""
    i = tl.program_id(0)
    which = tl.load(chosen + i)
    start = tl.load(starts + which)
    n = tl.load(starts + which + 1) - start
    to = tl.load(offsets + i)
    for k in range(0, n, LANES):
        at = k + tl.arange(0, LANES)
        inside = at < n
        tl.store(to_numbers + to + at, tl.load(numbers + start + at, mask=inside), mask=inside)
        if HAS_VALUES:
            tl.store(to_values + to + at, tl.load(values + start + at, mask=inside), mask=inside)


def copied(
    chosen: Tensor, starts: Tensor, offsets: Tensor, numbers: Tensor, values: Tensor | None,
    total: int,
) -> tuple[Tensor, Tensor | None]:  # fmt: skip
    """Return the numbers and values of the chosen lists, one after the other."""
    made = torch.empty(total, device=numbers.device, dtype=numbers.dtype)
    of_values = None if values is None else torch.empty(total, device=values.device)
    if len(chosen):
        copy_lists[(len(chosen),)](
            chosen, starts, offsets, numbers, values, made, of_values,
            HAS_VALUES=values is not None, LANES=32, num_warps=1,
        )  # fmt: skip
    return made, of_values
