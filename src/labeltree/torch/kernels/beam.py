"""Launch the search: a beam over groups, then the groups that may still hold a better label."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
import triton
from torch import Tensor

from labeltree.torch.kernels import search
from labeltree.torch.kernels.launch import Nodes
from labeltree.torch.kernels.tiles import TILES, divisor, n_processors, power_of_two, precision

ROOT_GROUPS_PER_WARP = 512  # so that selections need few barriers
MORE_PER_ROW = 128  # groups per row that there is room for at first
MAX_PAIRS = 1 << 24  # pairs of rows and groups that are searched at once


class Root(NamedTuple):
    """Logits of the children of the root: head labels, then the columns of the groups."""

    logits: Tensor
    n_head: int
    n_groups: int
    n_prototypes: int
    is_softmax: bool


class Pairs(NamedTuple):
    """Rows and groups that are searched."""

    row: Tensor
    group: Tensor
    value: Tensor  #: log-probability of the group
    count: Tensor  #: number of pairs of each group, then of all
    beam: int  #: pairs of each row; 0 if pairs of row i are start[i] .. end[i] - 1
    start: Tensor
    end: Tensor


class Best(NamedTuple):
    """The best labels of each row, in slots whose number is a power of two."""

    value: Tensor
    place: Tensor
    k: int


def beam_search(
    root: Root, nodes: Nodes, x: Tensor, k: int, beam: int
) -> tuple[Best, Pairs, Tensor]:
    """Return the k best labels in the best groups of each row, these groups, and the next value."""
    n, slots, device = len(x), power_of_two(k, 1), x.device
    value = torch.empty((n, slots), device=device)
    place = torch.empty((n, slots), device=device, dtype=torch.int32)
    cut = torch.empty(n, device=device)
    pairs = _no_pairs(root, n * beam, beam, cut, cut)
    search.best_groups[(n,)](
        root.logits, value, place, pairs.value, pairs.group, pairs.row, cut, pairs.count,
        root.n_head, root.n_groups, root.logits.shape[1], N_HEAD_BEST=min(k, root.n_head),
        SLOTS=slots, BEAM=beam, **_root_shape(root),
    )  # fmt: skip
    best = Best(value, place, k)
    search_groups(root, nodes, x, pairs, best)
    return best, pairs, cut


def search_rest(
    root: Root,
    nodes: Nodes,
    x: Tensor,
    best: Best,
    searched: Pairs,
    cut: Tensor,
    capacity: int | None = None,
) -> None:
    """Search every other group that may hold one of the k best labels, so that they are exact."""
    n = len(x)
    room = MORE_PER_ROW * n if capacity is None else capacity
    start, end = torch.empty((2, n), device=x.device, dtype=torch.int32)
    pairs = _no_pairs(root, room, 0, start, end)
    total = pairs.count[root.n_groups :]
    search.list_more[(n,)](
        root.logits, best.value, searched.group, cut, start, end, total, pairs.value, pairs.group,
        pairs.row, pairs.count, room, root.n_head, root.n_groups, root.logits.shape[1], K=best.k,
        SLOTS=best.value.shape[1], BEAM=len(searched.group) // n, **_root_shape(root),
    )  # fmt: skip
    search_groups(root, nodes, x, pairs, best)
    needed = int(total)
    if needed <= room:
        return
    left = cut.masked_fill(end > start, float("-inf"))  # rows that had room are done
    if needed > MAX_PAIRS and n > 1:
        _search_halves(root, nodes, x, best, searched, left)
    else:
        search_rest(root, nodes, x, best, searched, left, needed)


def _search_halves(
    root: Root, nodes: Nodes, x: Tensor, best: Best, searched: Pairs, cut: Tensor
) -> None:
    n = len(x)
    beam = len(searched.group) // n
    for part in (slice(0, n // 2), slice(n // 2, n)):
        groups = searched.group[part.start * beam : part.stop * beam]
        own = Best(best.value[part], best.place[part], best.k)
        rest = searched._replace(group=groups)
        search_rest(root._replace(logits=root.logits[part]), nodes, x[part], own, rest, cut[part])


def _no_pairs(root: Root, n: int, beam: int, start: Tensor, end: Tensor) -> Pairs:
    row, group = torch.empty((2, n), device=start.device, dtype=torch.int32)
    count = torch.zeros(root.n_groups + 1, device=start.device, dtype=torch.int32)
    return Pairs(row, group, torch.empty(n, device=start.device), count, beam, start, end)


def search_groups(root: Root, nodes: Nodes, x: Tensor, pairs: Pairs, best: Best) -> None:
    """Merge the best labels of the groups of all pairs into those of the rows."""
    n_pairs, n_groups, device = len(pairs.row), root.n_groups, x.device
    width = power_of_two(nodes.width, 32)
    tile = 64 if width <= 128 else 32
    most = min(n_groups, n_pairs) + n_pairs // tile + 1
    sizes = [-(-n // 4) * 4 for n in (n_groups + 1, n_groups, 2 * most, 1, n_pairs)]  # aligned
    made = torch.empty(sum(sizes), device=device, dtype=torch.int32)  # one allocation is faster
    begin, next_place, tiles, n_tiles, order = made.split(sizes)
    groups = power_of_two(n_groups)
    search.plan_pairs[(1,)](
        pairs.count, begin, next_place, tiles, n_tiles, n_groups, TILE=tile, GROUPS=groups,
        num_warps=min(16, max(1, groups // 128)),
    )  # fmt: skip
    search.rank_pairs[(triton.cdiv(n_pairs, 256),)](
        pairs.group, next_place, order, pairs.count[n_groups:], n_pairs, ALL=pairs.beam > 0,
        BLOCK=256,
    )  # fmt: skip
    slots, d = best.value.shape[1], x.shape[1]
    value = torch.empty(n_pairs, slots, device=device)
    place = torch.empty(n_pairs, slots, device=device, dtype=torch.int32)
    n_programs = min(most, n_processors(x) * TILES.occupancy)
    search.group_best[(n_programs,)](
        x, nodes.weight, nodes.bias, tiles, n_tiles, begin, nodes.first, order, pairs.row,
        pairs.value, best.value, value, place, root.n_head, LAST=best.k - 1,
        K=best.k, SLOTS=slots, D=d,
        TILE=tile, WIDTH=width, BLOCK=divisor(d, 64), N_PROGRAMS=n_programs,
        BIAS=nodes.bias is not None, SOFTMAX=root.is_softmax, FILTER=pairs.beam == 0,
        PRECISION=precision(x),
    )  # fmt: skip
    search.merge_best[(len(x),)](
        value, place, pairs.start, pairs.end, best.value, best.place, K=best.k, SLOTS=slots,
        BEAM=pairs.beam, BLOCK=max(128, slots), num_warps=1,
    )  # fmt: skip


def _root_shape(root: Root) -> dict[str, Any]:
    groups = power_of_two(root.n_groups)
    return {
        "PROTOTYPES": root.n_prototypes,
        "GROUPS": groups,
        "HEAD": power_of_two(root.n_head + 1),
        "SOFTMAX": root.is_softmax,
        "num_warps": min(16, max(1, groups // ROOT_GROUPS_PER_WARP)),
    }
