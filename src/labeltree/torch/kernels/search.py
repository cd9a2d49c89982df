"""Search for the most probable labels: groups of a row, labels of a group, the best of all."""

from __future__ import annotations

import triton
import triton.language as tl

from labeltree.torch.kernels.groups import logits, tile_of


@triton.jit
def best_groups(
    Z, head_value, head_place, value, group, row, cut, count, n_head, n_groups, stride,
    N_HEAD_BEST: tl.constexpr, SLOTS: tl.constexpr, BEAM: tl.constexpr, PROTOTYPES: tl.constexpr,
    GROUPS: tl.constexpr, HEAD: tl.constexpr, SOFTMAX: tl.constexpr,
):  # fmt: skip
    """Write the best head labels and the BEAM best groups of a row, and the value of the next."""
    i = tl.program_id(0).to(tl.int64)
    z, zh = _log_prob(Z + i * stride, n_head, n_groups, PROTOTYPES, GROUPS, HEAD, SOFTMAX)
    h = tl.arange(0, HEAD)
    for k in range(N_HEAD_BEST):
        v, at = tl.max(zh, 0, return_indices=True)
        tl.store(head_value + i * SLOTS + k, v)
        tl.store(head_place + i * SLOTS + k, at)
        zh = tl.where(h == at, float("-inf"), zh)
    for k in range(N_HEAD_BEST, SLOTS):
        tl.store(head_value + i * SLOTS + k, float("-inf"))
        tl.store(head_place + i * SLOTS + k, 0)
    c = tl.arange(0, GROUPS)
    for k in range(BEAM):
        v, at = tl.max(z, 0, return_indices=True)
        tl.store(value + i * BEAM + k, v)
        tl.store(group + i * BEAM + k, at)
        tl.store(row + i * BEAM + k, i.to(tl.int32))
        tl.atomic_add(count + at, 1)
        z = tl.where(c == at, float("-inf"), z)
    tl.store(cut + i, tl.max(z, 0))


@triton.jit(do_not_specialize=["n_capacity"])
def list_more(
    Z, found, group, cut, begin, end, total, value, more_group, row, count, n_capacity, n_head,
    n_groups, stride,
    K: tl.constexpr, SLOTS: tl.constexpr, BEAM: tl.constexpr, PROTOTYPES: tl.constexpr,
    GROUPS: tl.constexpr, HEAD: tl.constexpr, SOFTMAX: tl.constexpr,
):  # fmt: skip
    """List the groups of a row, besides those searched, that may hold one of its K best labels.

    The list of a row is at begin .. end - 1. If there is no room, it is empty, what is left of the
    room gets no group, and the total counts it.
    """
    i = tl.program_id(0).to(tl.int64)
    first = 0
    last = 0
    if tl.load(cut + i) > tl.load(found + i * SLOTS + K - 1):
        z, _ = _log_prob(Z + i * stride, n_head, n_groups, PROTOTYPES, GROUPS, HEAD, SOFTMAX)
        c = tl.arange(0, GROUPS)
        wanted = (z > tl.load(found + i * SLOTS + K - 1)) & (c < n_groups)
        for k in range(BEAM):
            wanted = wanted & (c != tl.load(group + i * BEAM + k))
        one = wanted.to(tl.int32)
        n_more = tl.sum(one, 0)
        first = tl.atomic_add(total, n_more)
        last = first + n_more
        if last > n_capacity:
            left = (c < n_more) & (first + c < n_capacity)
            tl.store(more_group + first + c, tl.zeros((GROUPS,), tl.int32) - 1, mask=left)
            last = first
        else:
            at = first + tl.cumsum(one, 0) - one
            tl.store(value + at, z, mask=wanted)
            tl.store(more_group + at, c, mask=wanted)
            tl.store(row + at, tl.zeros((GROUPS,), tl.int32) + i.to(tl.int32), mask=wanted)
            tl.atomic_add(count + c, one, mask=wanted)
    tl.store(begin + i, first)
    tl.store(end + i, last)


@triton.jit
def plan_pairs(
    count, begin, place, tiles, tile_count, n_groups, TILE: tl.constexpr, GROUPS: tl.constexpr
):
    """Find where the pairs of each group go, and list its tiles as (group, first pair).

    One program does all of it, because there are few groups and a launch takes longer.
    """
    j = tl.arange(0, GROUPS)
    inside = j < n_groups
    n = tl.load(count + j, mask=inside, other=0)
    end = tl.cumsum(n, 0)
    low = end - n
    tl.store(begin + j, low, mask=inside)
    tl.store(place + j, low, mask=inside)
    tl.store(begin + j + 1, end, mask=j == n_groups - 1)
    own = (n + TILE - 1) // TILE
    tile = tl.cumsum(own, 0) - own
    tl.store(tile_count, tl.sum(own, 0))
    most = tl.max(own, 0)
    k = 0
    while k < most:
        tl.store(tiles + (tile + k) * 2, j, mask=k < own)
        tl.store(tiles + (tile + k) * 2 + 1, low + k * TILE, mask=k < own)
        k += 1


@triton.jit(do_not_specialize=["n_capacity"])
def rank_pairs(group, place, order, total, n_capacity, ALL: tl.constexpr, BLOCK: tl.constexpr):
    """Sort pairs by group by counting; the order within a group does not matter.

    There are as many pairs as the total says, or as there is room for.
    """
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n_capacity
    if not ALL:
        inside = inside & (i < tl.load(total))
    g = tl.load(group + i, mask=inside, other=-1)
    inside = inside & (g >= 0)  # rows without room leave gaps
    at = tl.atomic_add(place + g, 1, mask=inside)
    tl.store(order + at, i, mask=inside)


@triton.jit
def group_best(
    X, W, B, tiles, count, begin, first, order, row, value, found, best_value, best_place, n_head,
    LAST: tl.constexpr, K: tl.constexpr, SLOTS: tl.constexpr, D: tl.constexpr, TILE: tl.constexpr,
    WIDTH: tl.constexpr, BLOCK: tl.constexpr, N_PROGRAMS: tl.constexpr, BIAS: tl.constexpr,
    SOFTMAX: tl.constexpr, FILTER: tl.constexpr, PRECISION: tl.constexpr,
):  # fmt: skip
    """Write the K best labels of each pair of a row and a group, with their log-probabilities.

    With FILTER, only the best one is written for pairs that cannot improve slot LAST of the row.
    """
    for t in range(tl.program_id(0), tl.load(count), N_PROGRAMS):
        places, live, w0, cols, real = tile_of(tiles, t, begin, first, TILE, WIDTH)
        pair = tl.load(order + places, mask=live, other=0).to(tl.int64)
        at = tl.load(row + pair, mask=live, other=0).to(tl.int64)
        z = logits(X, W, B, at, live, w0, cols, real, D, TILE, WIDTH, BLOCK, BIAS, PRECISION)
        above = tl.load(value + pair, mask=live, other=0.0)
        z = tl.where(real[None, :], z, float("-inf"))
        if SOFTMAX:
            top = tl.max(z, 1)
            z += (above - top - tl.log(tl.sum(tl.exp(z - top[:, None]), 1)))[:, None]
        else:
            z = tl.minimum(z, 0.0) - tl.log(1.0 + tl.exp(-tl.abs(z))) + above[:, None]
        z = tl.where(z == z, z, float("-inf"))
        n_best = K
        if FILTER:
            least = tl.load(found + at * SLOTS + LAST, mask=live, other=float("inf"))
            n_best = tl.where(tl.max((tl.max(z, 1) > least).to(tl.int32), 0) > 0, K, 1)
        for k in range(n_best):
            v, c = tl.max(z, 1, return_indices=True)
            tl.store(best_value + pair * SLOTS + k, v, mask=live)
            tl.store(best_place + pair * SLOTS + k, (c + w0).to(tl.int32) + n_head, mask=live)
            z = tl.where(cols[None, :] == c[:, None], float("-inf"), z)


@triton.jit
def merge_best(
    value, place, start, end, found, found_place, K: tl.constexpr, SLOTS: tl.constexpr,
    BEAM: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """Merge the candidates of the pairs of a row into its K best, in decreasing order.

    Each row has BEAM pairs; if BEAM is 0, those at start .. end - 1.
    """
    i = tl.program_id(0).to(tl.int64)
    s = tl.arange(0, SLOTS)
    a = tl.arange(0, BLOCK)
    best = tl.load(found + i * SLOTS + s, mask=s < K, other=float("-inf"))
    best_at = tl.load(found_place + i * SLOTS + s, mask=s < K, other=0)
    if BEAM > 0:
        first = i * (BEAM * SLOTS)
        last = first + BEAM * SLOTS
    else:
        first = tl.load(start + i).to(tl.int64) * SLOTS
        last = tl.load(end + i).to(tl.int64) * SLOTS
    for chunk in range(first, last, BLOCK):
        inside = (chunk + a < last) & (a % SLOTS < K)
        n_new = K
        if BEAM == 0:  # other pairs than those that improve the row have no candidates
            least = tl.max(tl.where(s == K - 1, best, float("-inf")), 0)
            head = tl.load(value + chunk + a - a % SLOTS, mask=inside, other=float("-inf"))
            inside = inside & (head > least)
            n_new = tl.where(tl.max(inside.to(tl.int32), 0) > 0, K, 0)
        v = tl.load(value + chunk + a, mask=inside, other=float("-inf"))
        at = tl.load(place + chunk + a, mask=inside, other=0)
        new = tl.where(n_new > 0, tl.full((SLOTS,), float("-inf"), tl.float32), best)
        new_at = tl.where(n_new > 0, tl.zeros((SLOTS,), tl.int32), best_at)
        for k in range(n_new):
            m1, c1 = tl.max(v, 0, return_indices=True)
            m2, c2 = tl.max(best, 0, return_indices=True)
            is_new = m1 > m2
            p1 = tl.sum(tl.where(a == c1, at, 0), 0)
            p2 = tl.sum(tl.where(s == c2, best_at, 0), 0)
            new = tl.where(s == k, tl.maximum(m1, m2), new)
            new_at = tl.where(s == k, tl.where(is_new, p1, p2), new_at)
            v = tl.where(is_new, tl.where(a == c1, float("-inf"), v), v)
            best = tl.where(is_new, best, tl.where(s == c2, float("-inf"), best))
        best = new
        best_at = new_at
    tl.store(found + i * SLOTS + s, best, mask=s < K)
    tl.store(found_place + i * SLOTS + s, best_at, mask=s < K)


@triton.jit
def _log_prob(
    Z, n_head, n_groups, PROTOTYPES: tl.constexpr, GROUPS: tl.constexpr, HEAD: tl.constexpr,
    SOFTMAX: tl.constexpr,
):  # fmt: skip
    """Return the log-probabilities of the groups and of the head labels of a row of logits."""
    c = tl.arange(0, GROUPS)
    real = c < n_groups
    at = Z + n_head + c * PROTOTYPES
    z = tl.load(at, mask=real, other=float("-inf")).to(tl.float32)
    if PROTOTYPES > 1:
        top = z
        for k in range(1, PROTOTYPES):
            top = tl.maximum(top, tl.load(at + k, mask=real, other=float("-inf")).to(tl.float32))
        total = tl.exp(z - top)
        for k in range(1, PROTOTYPES):
            total += tl.exp(tl.load(at + k, mask=real, other=0.0).to(tl.float32) - top)
        z = tl.where(real, top + tl.log(total), float("-inf"))
    h = tl.arange(0, HEAD)
    zh = tl.load(Z + h, mask=h < n_head, other=float("-inf")).to(tl.float32)
    if SOFTMAX:
        most = tl.maximum(tl.max(z, 0), tl.max(zh, 0))
        norm = most + tl.log(tl.sum(tl.exp(z - most), 0) + tl.sum(tl.exp(zh - most), 0))
        z -= norm
        zh -= norm
    else:
        z = tl.minimum(z, 0.0) - tl.log(1.0 + tl.exp(-tl.abs(z)))
        zh = tl.minimum(zh, 0.0) - tl.log(1.0 + tl.exp(-tl.abs(zh)))
    # Rows that are not finite have no probabilities, and the first groups are as good as any.
    return tl.where(z == z, z, float("-inf")), tl.where(zh == zh, zh, float("-inf"))
