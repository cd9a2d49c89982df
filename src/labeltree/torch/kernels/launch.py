"""Launch the kernels: from tensors to tensors, without waiting for the device."""

from __future__ import annotations

from typing import NamedTuple

import torch
import triton
from torch import Tensor

from labeltree.torch.kernels import gradients, groups, plan, root
from labeltree.torch.kernels.tiles import TILES, divisor, n_processors, power_of_two, precision

# Rows that are sorted by comparing all of them; torch sorts more of them faster.
MAX_RANKED = 1 << 13
MAX_RANKED_GROUPS = (1 << 17) - 2  # so that key and row are one 32-bit number
INT16_GROUPS = 32000  # keys of fewer groups are sorted as 16-bit integers, which is faster


class Tables(NamedTuple):
    """Tables of the tree by label, and its sizes."""

    position: Tensor
    group: Tensor
    column: Tensor
    n_head: int
    n_groups: int
    n_columns: int
    n_prototypes: int


class Nodes(NamedTuple):
    """Weights of one level below the root."""

    weight: Tensor
    bias: Tensor | None
    first: Tensor
    bounds: Tensor
    width: int


class Keys(NamedTuple):
    """Where each target is in the tree, and the order of the rows by group."""

    node: Tensor  #: leaf of each target, below the head labels
    column: Tensor  #: first column of the root
    key: Tensor  #: group
    counts: list[Tensor]  #: numbers of tiles and touched groups of each level, 0 at first
    sorted_key: Tensor
    order: Tensor  #: row at each place of the sorted order


class GroupPlan(NamedTuple):
    """The rows of each group, and lists of tiles and groups with rows."""

    begin: Tensor
    tiles: Tensor
    touched: Tensor
    count: Tensor


class Pairs(NamedTuple):
    """For several labels per row: the row at each place of the sorted order, and the first entry
    of each row."""

    row: Tensor
    start: Tensor


def sort_targets(tables: Tables, target: Tensor, n_levels: int) -> Keys:
    """Look up one target per row, and sort the rows by group."""
    n, device = len(target), target.device
    key, node, column = _key_arrays(tables, n, device)
    counts = [_count(device) for _ in range(max(1, n_levels))]
    plan.label_keys[(triton.cdiv(n, 256),)](
        target, tables.position, tables.group, tables.column, key, node, column,
        counts[0], counts[-1], n, len(tables.position), tables.n_head, BLOCK=256,
    )  # fmt: skip
    return Keys(node, column, key, counts, *sort_keys(key, tables.n_groups))


def sort_pairs(
    tables: Tables, target: Tensor, start: Tensor, n_parents: int, *, is_middle: bool
) -> tuple[Keys, Pairs]:
    """Look up the targets of each row, and sort the pairs of rows and groups by group.

    `n_parents` is the number of groups, or that of middle nodes for the level below them.
    """
    n = len(target)
    key, node, column = _key_arrays(tables, n, target.device)
    row = torch.empty(n, device=target.device, dtype=torch.int32)
    count = _count(target.device)
    plan.pair_keys[(len(start) - 1,)](
        target, start, tables.position, tables.group, tables.column, key, node, column, row,
        count, len(tables.position), tables.n_head, n_parents, MIDDLE=is_middle, LANES=32,
        num_warps=1,
    )  # fmt: skip
    keys = Keys(node, column, key, [count], *sort_keys(key, n_parents))
    return keys, Pairs(row[keys.order], start)


def _count(device: torch.device) -> Tensor:
    """Return memory for two counts, which become 0 in the first kernel."""
    return torch.empty(2, device=device, dtype=torch.int32)


def sort_keys(key: Tensor, n_groups: int) -> tuple[Tensor, Tensor]:
    """Return the keys in stable order, and the row at each place."""
    n = len(key)
    if n > MAX_RANKED or n_groups > MAX_RANKED_GROUPS:
        made = torch.sort(key, stable=True)
        return made.values, made.indices
    sorted_key = torch.empty_like(key)
    order = torch.empty(n, device=key.device, dtype=torch.int64)
    plan.rank_rows[(triton.cdiv(n, TILES.ranked_rows),)](
        key, sorted_key, order, n, LIMIT=MAX_RANKED, BLOCK=TILES.ranked_rows, CHUNK=256
    )
    return sorted_key, order


def _key_arrays(tables: Tables, n: int, device: torch.device) -> tuple[Tensor, Tensor, Tensor]:
    kind = torch.int16 if tables.n_groups < INT16_GROUPS else torch.int32
    made = [
        torch.empty(n, device=device, dtype=dtype) for dtype in (kind, torch.int32, torch.int32)
    ]
    return made[0], made[1], made[2]


def plan_groups(nodes: Nodes, keys: Keys, level: int = 0) -> GroupPlan:
    """Find the rows of each group of siblings of a level, the n-th of those that share the keys."""
    n, n_groups, device = len(keys.key), len(nodes.first) - 1, keys.key.device
    most = min(n_groups, n)
    begin = torch.empty(n_groups + 1, device=device, dtype=torch.int32)
    tiles = torch.empty(2 * (most + n // TILES.rows + 1), device=device, dtype=torch.int32)
    touched = torch.empty(most, device=device, dtype=torch.int32)
    plan.plan_groups[(triton.cdiv(n_groups, 128),)](
        keys.sorted_key, nodes.bounds, begin, tiles, touched, keys.counts[level], n, n_groups,
        TILE=TILES.rows, BLOCK=128, STEPS=n.bit_length() + 1,
    )  # fmt: skip
    return GroupPlan(begin, tiles, touched, keys.counts[level])


def root_softmax(tables: Tables, logits: Tensor, column: Tensor, *, backward: bool) -> Tensor:
    """Return the loss of each row at the root; logits become their gradient."""
    n, stride = logits.shape
    loss = torch.empty(n, device=logits.device)
    root.root_softmax[(n,)](
        logits, column, loss, 1.0 / n, tables.n_head, tables.n_columns, stride,
        PROTOTYPES=tables.n_prototypes, BLOCK=power_of_two(stride), BACKWARD=backward,
        num_warps=_root_warps(stride),
    )  # fmt: skip
    return loss


def root_bce(tables: Tables, logits: Tensor, keys: Keys, pairs: Pairs, *, backward: bool) -> Tensor:
    """Return the loss of each row at the root; logits become their gradient."""
    n, stride = logits.shape
    loss = torch.empty(n, device=logits.device)
    root.root_bce[(n,)](
        logits, keys.column, pairs.start, loss, 1.0 / n, tables.n_columns, stride,
        BLOCK=power_of_two(stride), BACKWARD=backward, LABELS=TILES.labels,
        num_warps=_root_warps(stride),
    )  # fmt: skip
    return loss


def _root_warps(stride: int) -> int:
    return TILES.root_warps if stride <= 2048 else 8 if stride <= 8192 else 16


def group_softmax(
    nodes: Nodes,
    x: Tensor,
    found: GroupPlan,
    node: Tensor,
    keys: Keys,
    loss: Tensor,
    dx: Tensor | None,
) -> Tensor:
    """Add one level to the loss and to dx; return the gradient of its logits."""
    ds = _logit_gradient(nodes, x, len(x), dx is not None)
    n_programs = _n_programs(found, x)
    groups.group_softmax[(n_programs,)](
        x, nodes.weight, nodes.bias, found.tiles, found.count, found.begin, nodes.first, node,
        keys.order, loss, ds, x if dx is None else dx, 1.0 / len(x), BACKWARD=dx is not None,
        **_shape(nodes, x, n_programs),
    )  # fmt: skip
    return ds


def group_bce(
    nodes: Nodes,
    x: Tensor,
    found: GroupPlan,
    keys: Keys,
    pairs: Pairs,
    loss: Tensor,
    dx: Tensor | None,
) -> Tensor:
    """Add the groups to the loss and to dx; return the gradient of their logits."""
    backward = dx is not None
    n = len(keys.key)
    ds = _logit_gradient(nodes, x, n, backward)
    pair_loss = torch.empty(n, device=x.device)
    pair_dx = torch.empty(n if backward else 0, x.shape[1], device=x.device, dtype=x.dtype)
    n_programs = _n_programs(found, x)
    groups.group_bce[(n_programs,)](
        x, nodes.weight, nodes.bias, found.tiles, found.count, found.begin, nodes.first, keys.node,
        keys.order, pairs.row, pairs.start, pair_loss, ds, pair_dx, 1.0 / len(x),
        BACKWARD=backward, LABELS=TILES.labels, **_shape(nodes, x, n_programs, is_bce=True),
    )  # fmt: skip
    d = x.shape[1]
    groups.add_pairs[(len(x),)](
        pair_loss, pair_dx, keys.key, pairs.start, loss, x if dx is None else dx,
        len(nodes.first) - 1, D=d, BLOCK=power_of_two(d), BACKWARD=backward,
    )  # fmt: skip
    return ds


def _logit_gradient(nodes: Nodes, x: Tensor, n: int, backward: bool) -> Tensor:
    width = power_of_two(nodes.width, 32)
    return torch.empty(n if backward else 0, width, device=x.device, dtype=x.dtype)


def _n_programs(found: GroupPlan, x: Tensor) -> int:
    return min(found.tiles.numel() // 2, n_processors(x) * TILES.occupancy)


def _shape(nodes: Nodes, x: Tensor, n_programs: int, *, is_bce: bool = False) -> dict[str, object]:
    is_wide = nodes.width > 64
    features = TILES.wide_bce_features if is_wide and is_bce else TILES.features
    return {
        "D": x.shape[1],
        "TILE": TILES.rows,
        "WIDTH": power_of_two(nodes.width, 32),
        "BLOCK": divisor(x.shape[1], features),
        "N_PROGRAMS": n_programs,
        "BIAS": nodes.bias is not None,
        "PRECISION": precision(x),
        "num_warps": 2 * TILES.warps if is_wide and not is_bce else TILES.warps,
        "num_stages": TILES.wide_bce_stages if is_wide and is_bce else TILES.stages,
    }


class Update(NamedTuple):
    """How a gradient changes the weights of one level at once."""

    method: int
    low: Tensor | None  #: the 16 bits that bfloat16 weights lack
    bias_low: Tensor | None
    state: Tensor  #: one number per row of the weights, or the two moments of Adam
    bias_state: Tensor | None  #: the two moments of Adam
    rate: Tensor  #: learning rate, on the device
    count: Tensor  #: number of the step, on the device
    eps: float


def group_gradient(
    nodes: Nodes, x: Tensor, ds: Tensor, found: GroupPlan, row_at: Tensor, factor: Tensor,
    update: Update | None,
) -> tuple[Tensor | None, Tensor | None]:  # fmt: skip
    """Return the gradients of weights and biases of one level, or apply them."""
    method = gradients.DENSE if update is None else update.method
    dw = torch.empty_like(nodes.weight) if update is None else None
    db = None if nodes.bias is None or update is not None else torch.empty_like(nodes.bias)
    d, width = x.shape[1], ds.shape[1]
    part, block, tile, warps, stages = _gradient_shape(method, d, width)
    n_groups = len(nodes.first) - 1
    n_parts = (width // part) * triton.cdiv(d, block)
    visited = n_groups if update is None else found.touched.numel()
    n_programs = min(visited * n_parts, n_processors(x) * TILES.gradient_occupancy)
    rate = factor if update is None else update.rate
    gradients.group_gradient[(n_programs,)](
        x, ds, found.begin, nodes.first, found.touched, found.count, row_at, factor, dw, db,
        nodes.weight, update and update.low, nodes.bias, update and update.bias_low,
        update and update.state, rate, update.eps if update else 0.0, n_groups,
        D=d, WIDTH=width, PART=part, BLOCK=block, TILE=tile, N_PROGRAMS=n_programs, METHOD=method,
        BIAS=nodes.bias is not None,
        SPLIT=update is not None and update.low is not None,
        EARLY=update is not None and TILES.early[method], PRECISION=precision(x),
        num_warps=warps, num_stages=stages,
    )  # fmt: skip
    return dw, db


def _gradient_shape(method: int, d: int, width: int) -> tuple[int, int, int, int, int]:
    """Return siblings, features and rows of a program, its warps and its stages."""
    if method == gradients.DENSE:
        if width > 128:
            return 64, divisor(d, 256), 16, 4, 2
        block = divisor(d, TILES.gradient_features)
        return min(TILES.gradient_siblings, width), block, TILES.gradient_rows, 4, 3
    if method == gradients.SGD:
        return (
            min(TILES.sgd_siblings, width),
            divisor(d, TILES.sgd_features),
            TILES.update_rows,
            4,
            2,
        )
    warps = TILES.adagrad_warps
    return min(TILES.adagrad_siblings, width), power_of_two(d), TILES.update_rows, warps, 2


def multiply(x: Tensor, factor: Tensor) -> Tensor:
    """Multiply a tensor in place by a number on the device."""
    n = x.numel()
    gradients.multiply[(triton.cdiv(n, 4096),)](x, factor, n, BLOCK=4096)
    return x


def update_rows(
    gradient: Tensor, bias_gradient: Tensor | None, weight: Tensor, bias: Tensor | None,
    factor: Tensor, update: Update,
) -> None:  # fmt: skip
    """Apply a dense gradient of the root."""
    if update.method == gradients.ADAM:
        _adam(gradient, weight, update.low, update.state, factor, update)
        if bias_gradient is not None and bias is not None and update.bias_state is not None:
            _adam(bias_gradient, bias, update.bias_low, update.bias_state, factor, update)
        return
    n, d = weight.shape
    gradients.row_update[(triton.cdiv(n, 4),)](
        gradient, bias_gradient, weight, update.low, bias, update.bias_low, update.state, factor,
        update.rate, update.eps, n, D=d, PART=4, BLOCK=power_of_two(d), METHOD=update.method,
        BIAS=bias is not None, SPLIT=update.low is not None,
    )  # fmt: skip


def _adam(
    gradient: Tensor, weight: Tensor, low: Tensor | None, state: Tensor, factor: Tensor,
    update: Update,
) -> None:  # fmt: skip
    n = weight.numel()
    gradients.adam_update[(triton.cdiv(n, 1024),)](
        gradient, weight, low, state[0], state[1], factor, update.rate, update.count, update.eps,
        n, BETA1=gradients.BETAS[0], BETA2=gradients.BETAS[1], BLOCK=1024, SPLIT=low is not None,
    )  # fmt: skip
