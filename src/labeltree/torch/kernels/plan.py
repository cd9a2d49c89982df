"""Where the rows of each group are, and in which tiles they are processed."""

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit(do_not_specialize=["n_rows"])  # batches differ, and compiling takes a second
def label_keys(
    target, position, group, column, key, node, root, count, other_count,
    n_rows, n_labels, n_head, BLOCK: tl.constexpr,
):  # fmt: skip
    """Look up the group, the leaf and the column of the root of each target.

    A target that is not a label has column -1, which makes its loss NaN. The counts of
    `plan_groups` become 0, which saves a launch for each level.
    """
    if tl.program_id(0) == 0:
        _clear(count)
        _clear(other_count)
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n_rows
    label = tl.load(target + i, mask=inside, other=0)
    valid = inside & (label >= 0) & (label < n_labels)
    label = tl.where(valid, label, 0)
    g = tl.load(group + label, mask=valid, other=-1)
    tl.store(key + i, g.to(key.dtype.element_ty), mask=inside)
    tl.store(node + i, tl.load(position + label, mask=valid, other=0) - n_head, mask=inside)
    tl.store(root + i, tl.load(column + label, mask=valid, other=-1), mask=inside)


@triton.jit(do_not_specialize=["n_rows"])
def rank_rows(
    key, sorted_key, order, n_rows, LIMIT: tl.constexpr, BLOCK: tl.constexpr, CHUNK: tl.constexpr
):
    """Sort fewer than LIMIT rows by key; rows with the same key keep their order.

    The place of a row is the number of rows before it, which is found by comparing it with all of
    them. That is faster than a sort in several launches.
    """
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n_rows
    given = tl.load(key + i, mask=inside, other=0)
    own = given.to(tl.int32) * LIMIT + i
    before = tl.zeros((BLOCK, CHUNK), tl.int32)
    for first in range(0, n_rows, CHUNK):
        j = first + tl.arange(0, CHUNK)
        other = tl.load(key + j, mask=j < n_rows, other=0).to(tl.int32) * LIMIT + j
        other = tl.where(j < n_rows, other, 2147483647)  # before no row
        before += (other[None, :] < own[:, None]).to(tl.int32)
    place = tl.sum(before, 1)
    tl.store(sorted_key + place, given, mask=inside)
    tl.store(order + place, i.to(tl.int64), mask=inside)


@triton.jit
def pair_keys(
    target, start, position, group, column, key, node, root, pair_row, count,
    n_labels, n_head, n_groups, MIDDLE: tl.constexpr, LANES: tl.constexpr,
):  # fmt: skip
    """Look up the entries of one row; the key of an entry whose group came before is n_groups.

    The first entry of a group stands for the pair of the row and the group. With MIDDLE, middle
    nodes are meant, and the nodes of entries are groups instead of labels. Columns are -2 for
    padding, and -1 for what is not a label, which makes the loss NaN.
    """
    row = tl.program_id(0)
    if row == 0:
        _clear(count)
    begin = tl.load(start + row)
    end = tl.load(start + row + 1)
    lanes = tl.arange(0, LANES)
    for first in range(begin, end, LANES):
        e = first + lanes
        given = tl.load(target + e, mask=e < end, other=-1)
        valid = (given >= 0) & (given < n_labels)
        label = tl.where(valid, given, 0)
        g = _parent(group, column, label, valid, n_head, MIDDLE)
        seen = tl.zeros((LANES,), tl.int32)
        for before in range(begin, first + 1, LANES):
            b = before + lanes
            other = tl.load(target + b, mask=b < end, other=-1)
            known = (other >= 0) & (other < n_labels)
            h = _parent(group, column, tl.where(known, other, 0), known, n_head, MIDDLE)
            same = (h[:, None] == g[None, :]) & (b[:, None] < e[None, :])
            seen = tl.maximum(seen, tl.max(same.to(tl.int32), 0))
        is_new = (g >= 0) & (seen == 0)
        place = tl.load(group + label) if MIDDLE else tl.load(position + label) - n_head
        padding = tl.where(given == -1, -2, -1)
        tl.store(key + e, tl.where(is_new, g, n_groups).to(key.dtype.element_ty), mask=e < end)
        tl.store(node + e, tl.where(g >= 0, place, -1), mask=e < end)
        tl.store(root + e, tl.where(valid, tl.load(column + label), padding), mask=e < end)
        tl.store(pair_row + e, tl.zeros((LANES,), tl.int32) + row, mask=e < end)


@triton.jit
def _clear(count):
    tl.store(count + tl.arange(0, 2), tl.zeros((2,), tl.int32))


@triton.jit
def _parent(group, column, label, valid, n_head, MIDDLE: tl.constexpr):
    """Return the group or the middle node of labels; -1 for those that have none."""
    if MIDDLE:  # the columns of middle nodes follow those of the head labels
        return tl.maximum(tl.load(column + label, mask=valid, other=-1) - n_head, -1)
    else:
        return tl.load(group + label, mask=valid, other=-1)


@triton.jit(do_not_specialize=["n_keys"])
def plan_groups(
    sorted_key, bounds, begin, tiles, touched, count,
    n_keys, n_groups, TILE: tl.constexpr, BLOCK: tl.constexpr, STEPS: tl.constexpr,
):  # fmt: skip
    """Find the rows of each group by bisection, and list its tiles and the groups with rows.

    Rows of group j are begin[j] .. begin[j + 1] - 1. A tile is (group, first row). The lists are
    compact; count, which is 0 before, holds their lengths.
    """
    j = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = j < n_groups
    low = _first_not_below(
        sorted_key, tl.load(bounds + j, mask=inside, other=0), inside, n_keys, STEPS
    )
    high = _first_not_below(
        sorted_key, tl.load(bounds + j + 1, mask=inside, other=0), inside, n_keys, STEPS
    )
    tl.store(begin + j, low, mask=inside)
    tl.store(begin + j + 1, high, mask=j == n_groups - 1)
    rows = tl.where(inside, high - low, 0)
    used = (rows > 0).to(tl.int32)
    place = tl.atomic_add(count + 1, tl.sum(used, 0)) + tl.cumsum(used, 0) - used
    tl.store(touched + place, j, mask=rows > 0)
    n_tiles = (rows + TILE - 1) // TILE
    tile = tl.atomic_add(count, tl.sum(n_tiles, 0)) + tl.cumsum(n_tiles, 0) - n_tiles
    most = tl.max(n_tiles, 0)
    k = 0
    while k < most:
        tl.store(tiles + (tile + k) * 2, j, mask=k < n_tiles)
        tl.store(tiles + (tile + k) * 2 + 1, low + k * TILE, mask=k < n_tiles)
        k += 1


@triton.jit
def _first_not_below(sorted_key, bound, inside, n_keys, STEPS: tl.constexpr):
    low = tl.zeros_like(bound)
    high = tl.zeros_like(bound) + n_keys
    for _ in range(STEPS):
        live = inside & (low < high)
        middle = (low + high) // 2
        key = tl.load(sorted_key + middle, mask=live, other=0).to(tl.int32)
        low = tl.where(live & (key < bound), middle + 1, low)
        high = tl.where(live & (key >= bound), middle, high)
    return low
