"""Sizes of the tiles of the kernels, and small facts of the device."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import torch
from torch import Tensor

#: Columns of the root that one program can hold.
MAX_ROOT_COLUMNS = 32768


@dataclass(frozen=True)
class Tiles:
    """Sizes that were fastest on an H200 for 8,192 rows of 512 features."""

    rows: int = 16  #: rows of a tile
    features: int = 128  #: features that are loaded at once
    warps: int = 4
    stages: int = 3
    occupancy: int = 4  #: programs per multiprocessor
    gradient_rows: int = 32
    gradient_siblings: int = 64
    gradient_features: int = 128
    gradient_occupancy: int = 8
    update_rows: int = 16
    sgd_siblings: int = 64
    sgd_features: int = 64
    adagrad_siblings: int = 16
    adagrad_warps: int = 8
    #: by method, whether weights are read before their gradient is summed
    early: tuple[bool, ...] = (False, True, False)
    root_warps: int = 4
    ranked_rows: int = 16  #: rows of a program that are compared with all rows
    labels: int = 8  #: labels of a row that are read at once
    wide_bce_features: int = 64  #: features of groups of more than 64 labels
    wide_bce_stages: int = 4


TILES = Tiles()


def power_of_two(n: int, minimum: int = 16) -> int:
    """Return the smallest power of two that is at least n and the minimum.

    Examples
    --------
    >>> power_of_two(5), power_of_two(100)
    (16, 128)
    """
    return max(minimum, 1 << (n - 1).bit_length())


def divisor(n: int, maximum: int) -> int:
    """Return the largest power of two that divides n, at most the maximum.

    Examples
    --------
    >>> divisor(768, 512), divisor(768, 128)
    (256, 128)
    """
    return min(n & -n, maximum)


def precision(x: Tensor) -> str:
    """Return the precision of products: single precision is not cut to 10 bits."""
    return "ieee" if x.dtype == torch.float32 else "tf32"


def n_processors(x: Tensor) -> int:
    """Return the number of multiprocessors of the device of a tensor."""
    return _n_processors(x.device.index or 0) if x.is_cuda else 2


@functools.cache
def _n_processors(device: int) -> int:
    return int(torch.cuda.get_device_properties(device).multi_processor_count)


def check_shapes(n_features: int, n_columns: int) -> None:
    """Raise ValueError if the kernels cannot process these sizes."""
    if n_features % 16:
        raise ValueError(
            f"in_features must be a multiple of 16 on a GPU, but is {n_features}; "
            "let the encoder end in a layer of such a size"
        )
    if n_columns > MAX_ROOT_COLUMNS:
        raise ValueError(
            f"the root must have at most {MAX_ROOT_COLUMNS} columns on a GPU, but has {n_columns}; "
            "use larger groups, fewer prototypes or n_levels=3"
        )
