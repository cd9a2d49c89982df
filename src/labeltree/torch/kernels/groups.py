"""Loss of the groups of one level, with the gradients of logits and rows."""

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def group_softmax(
    X, W, B, tiles, count, begin, first, node, order,
    loss, DS, DX, scale,
    D: tl.constexpr, TILE: tl.constexpr, WIDTH: tl.constexpr, BLOCK: tl.constexpr,
    N_PROGRAMS: tl.constexpr, BIAS: tl.constexpr, BACKWARD: tl.constexpr, PRECISION: tl.constexpr,
):  # fmt: skip
    """Add the cross-entropy of one level to the loss of each row, and its gradient to DX.

    DS, (rows in sorted order, WIDTH), receives the gradient of the logits.
    """
    for t in range(tl.program_id(0), tl.load(count), N_PROGRAMS):
        rows, live, w0, cols, real = tile_of(tiles, t, begin, first, TILE, WIDTH)
        row = tl.load(order + rows, mask=live, other=0).to(tl.int64)
        z = logits(X, W, B, row, live, w0, cols, real, D, TILE, WIDTH, BLOCK, BIAS, PRECISION)
        z = tl.where(real[None, :], z, float("-inf"))
        hot = cols[None, :] == (tl.load(node + row, mask=live, other=0).to(tl.int64) - w0)[:, None]
        top = tl.max(z, 1)
        e = tl.exp(z - top[:, None])
        total = tl.sum(e, 1)
        chosen = tl.sum(tl.where(hot, z, 0.0), 1)
        before = tl.load(loss + row, mask=live, other=0.0)
        tl.store(loss + row, before + tl.log(total) + top - chosen, mask=live)
        if BACKWARD:
            ds = (e / total[:, None] - tl.where(hot, 1.0, 0.0)) * scale
            ds = tl.where(live[:, None] & real[None, :], ds, 0.0).to(DS.dtype.element_ty)
            tl.store(
                DS + rows.to(tl.int64)[:, None] * WIDTH + cols[None, :], ds, mask=live[:, None]
            )
            _row_gradient(W, DX, ds, row, live, w0, cols, real, D, BLOCK, True, PRECISION)


@triton.jit
def group_bce(
    X, W, B, tiles, count, begin, first, node, order,
    sorted_row, start, loss, DS, DX, scale,
    D: tl.constexpr, TILE: tl.constexpr, WIDTH: tl.constexpr, BLOCK: tl.constexpr,
    N_PROGRAMS: tl.constexpr, BIAS: tl.constexpr, BACKWARD: tl.constexpr, PRECISION: tl.constexpr,
    LABELS: tl.constexpr,
):  # fmt: skip
    """Write the binary cross-entropy of each pair of a row and a positive group.

    Loss and gradient of a pair are written at its entry; DS is in sorted order.
    """
    for t in range(tl.program_id(0), tl.load(count), N_PROGRAMS):
        rows, live, w0, cols, real = tile_of(tiles, t, begin, first, TILE, WIDTH)
        entry = tl.load(order + rows, mask=live, other=0).to(tl.int64)
        row = tl.load(sorted_row + rows, mask=live, other=0).to(tl.int64)
        e = tl.load(start + row, mask=live, other=0)
        end = tl.load(start + row + 1, mask=live, other=0)
        # The first labels of each row are read at once, and while the logits are computed.
        lanes = tl.arange(0, LABELS)
        at = e[:, None] + lanes[None, :]
        nodes = tl.load(node + at, mask=at < end[:, None], other=-1)
        z = logits(X, W, B, row, live, w0, cols, real, D, TILE, WIDTH, BLOCK, BIAS, PRECISION)
        # Nodes of other groups lie outside the columns of this one.
        hot = tl.zeros((TILE, WIDTH), tl.float32)
        for k in tl.static_range(LABELS):
            other = tl.sum(tl.where(lanes[None, :] == k, nodes, 0), 1).to(tl.int64) - w0
            hot = tl.where(cols[None, :] == other[:, None], 1.0, hot)
        for k in range(LABELS, tl.max(end - e, 0)):
            other = tl.load(node + e + k, mask=e + k < end, other=-1).to(tl.int64) - w0
            hot = tl.where(cols[None, :] == other[:, None], 1.0, hot)
        small = tl.exp(-tl.abs(z))
        term = tl.maximum(z, 0.0) + tl.log(1.0 + small) - z * hot
        tl.store(loss + entry, tl.sum(tl.where(real[None, :], term, 0.0), 1), mask=live)
        if BACKWARD:
            ds = (tl.where(z >= 0, 1.0, small) / (1.0 + small) - hot) * scale
            ds = tl.where(live[:, None] & real[None, :], ds, 0.0).to(DS.dtype.element_ty)
            tl.store(
                DS + rows.to(tl.int64)[:, None] * WIDTH + cols[None, :], ds, mask=live[:, None]
            )
            _row_gradient(W, DX, ds, entry, live, w0, cols, real, D, BLOCK, False, PRECISION)


@triton.jit
def add_pairs(
    pair_loss, DXP, key, start, loss, DX, n_groups,
    D: tl.constexpr, BLOCK: tl.constexpr, BACKWARD: tl.constexpr,
):  # fmt: skip
    """Add the losses and the gradients of the pairs of each row to those of the row."""
    row = tl.program_id(0).to(tl.int64)
    c = tl.arange(0, BLOCK)
    total = tl.load(loss + row)
    if BACKWARD:
        dx = tl.load(DX + row * D + c, mask=c < D, other=0.0).to(tl.float32)
    begin = tl.load(start + row).to(tl.int64)
    end = tl.load(start + row + 1).to(tl.int64)
    for e in range(begin, end):
        if tl.load(key + e).to(tl.int32) < n_groups:
            total += tl.load(pair_loss + e)
            if BACKWARD:
                dx += tl.load(DXP + e * D + c, mask=c < D, other=0.0).to(tl.float32)
    tl.store(loss + row, total)
    if BACKWARD:
        tl.store(DX + row * D + c, dx.to(DX.dtype.element_ty), mask=c < D)


@triton.jit
def tile_of(tiles, t, begin, first, TILE: tl.constexpr, WIDTH: tl.constexpr):
    """Return the places of the rows of a tile and which exist, and the siblings of its group.

    The siblings are their first row of the weights, their columns and which exist.
    """
    g = tl.load(tiles + 2 * t)
    places = tl.load(tiles + 2 * t + 1) + tl.arange(0, TILE)
    live = places < tl.load(begin + g + 1)
    w0 = tl.load(first + g).to(tl.int64)
    cols = tl.arange(0, WIDTH)
    real = w0 + cols < tl.load(first + g + 1).to(tl.int64)
    return places, live, w0, cols, real


@triton.jit
def logits(
    X, W, B, row, live, w0, cols, real,
    D: tl.constexpr, TILE: tl.constexpr, WIDTH: tl.constexpr, BLOCK: tl.constexpr,
    BIAS: tl.constexpr, PRECISION: tl.constexpr,
):  # fmt: skip
    """Return the logits of the siblings of a group for the rows of a tile."""
    z = tl.zeros((TILE, WIDTH), tl.float32)
    for k in range(0, D, BLOCK):
        ks = k + tl.arange(0, BLOCK)
        x = tl.load(X + row[:, None] * D + ks[None, :], mask=live[:, None], other=0.0)
        w = tl.load(W + (w0 + cols)[None, :] * D + ks[:, None], mask=real[None, :], other=0.0)
        z = tl.dot(x, w, z, input_precision=PRECISION)
    if BIAS:
        z += tl.load(B + w0 + cols, mask=real, other=0.0).to(tl.float32)[None, :]
    return z


@triton.jit
def _row_gradient(
    W, DX, ds, place, live, w0, cols, real,
    D: tl.constexpr, BLOCK: tl.constexpr, ADD: tl.constexpr, PRECISION: tl.constexpr,
):  # fmt: skip
    for k in range(0, D, BLOCK):
        ks = k + tl.arange(0, BLOCK)
        w = tl.load(W + (w0 + cols)[:, None] * D + ks[None, :], mask=real[:, None], other=0.0)
        dx = tl.dot(ds, w, input_precision=PRECISION)
        at = DX + place[:, None] * D + ks[None, :]
        if ADD:
            dx += tl.load(at, mask=live[:, None], other=0.0).to(tl.float32)
        tl.store(at, dx.to(DX.dtype.element_ty), mask=live[:, None])
