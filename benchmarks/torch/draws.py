"""Random rows and labels of the protocol."""

from __future__ import annotations

import torch
from torch import Tensor

N_ROWS, N_FEATURES = 8192, 512


def rows(n: int = N_ROWS) -> Tensor:
    """Return random rows."""
    return torch.randn(n, N_FEATURES, device="cuda", dtype=torch.bfloat16)


def labels(n_labels: int, kind: str, n_head: int, n: int = N_ROWS) -> Tensor:
    """Return labels; "zipf" labels are frequent at the root and in any order below it."""
    if kind == "uniform":
        return torch.randint(0, n_labels, (n,), device="cuda")
    weights = 1 / (torch.arange(n_labels, device="cuda", dtype=torch.float64) + 2.7)
    total = weights.cumsum(0) / weights.sum()
    drawn = torch.rand(n, device="cuda", dtype=torch.float64)
    rank = torch.searchsorted(total, drawn).clamp_max(n_labels - 1)
    shuffled = torch.randperm(n_labels - n_head, generator=torch.Generator().manual_seed(5))
    place = torch.cat([torch.arange(n_head), n_head + shuffled]).cuda()
    return place[rank]
