"""Loss of the children of the root, with the gradient of the logits written in their place."""

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def root_softmax(
    Z, column, loss, scale, n_head, n_columns, stride,
    PROTOTYPES: tl.constexpr, BLOCK: tl.constexpr, BACKWARD: tl.constexpr,
):  # fmt: skip
    """Write the cross-entropy of each row; the probability of a group sums over its prototypes.

    Column -1 means that the target is not a label, and makes the loss NaN.
    """
    i = tl.program_id(0).to(tl.int64)
    c = tl.arange(0, BLOCK)
    z = tl.load(Z + i * stride + c, mask=c < n_columns, other=float("-inf")).to(tl.float32)
    y = tl.load(column + i)
    top = tl.max(z, 0)
    e = tl.exp(z - top)
    total = tl.sum(e, 0)
    if PROTOTYPES == 1:
        hot = c == y
        chosen = tl.sum(tl.where(hot, z, 0.0), 0)
        share = tl.where(hot, 1.0, 0.0)
    else:
        hot = (c >= y) & (c < y + tl.where(y < n_head, 1, PROTOTYPES))
        best = tl.max(tl.where(hot, z, float("-inf")), 0)
        part = tl.where(hot, tl.exp(z - best), 0.0)
        chosen = best + tl.log(tl.sum(part, 0))
        share = part / tl.sum(part, 0)
    nll = tl.log(total) + top - chosen
    tl.store(loss + i, tl.where(y < 0, float("nan"), nll))
    if BACKWARD:
        dz = (e / total - share) * scale
        tl.store(Z + i * stride + c, dz.to(Z.dtype.element_ty), mask=c < stride)


@triton.jit
def root_bce(
    Z, column, start, loss, scale, n_columns, stride,
    BLOCK: tl.constexpr, BACKWARD: tl.constexpr, LABELS: tl.constexpr,
):  # fmt: skip
    """Write the binary cross-entropy of each row over the children of the root."""
    i = tl.program_id(0).to(tl.int64)
    c = tl.arange(0, BLOCK)
    real = c < n_columns
    z = tl.load(Z + i * stride + c, mask=real, other=0.0).to(tl.float32)
    begin = tl.load(start + i)
    end = tl.load(start + i + 1)
    lanes = tl.arange(0, LABELS)  # the first labels are read at once
    first = tl.load(column + begin + lanes, mask=begin + lanes < end, other=-2)
    hot = tl.zeros((BLOCK,), tl.float32)
    for k in tl.static_range(LABELS):
        hot = tl.where(c == tl.sum(tl.where(lanes == k, first, 0), 0), 1.0, hot)
    bad = tl.max((first == -1).to(tl.int32), 0)
    for e in range(begin + LABELS, end):
        y = tl.load(column + e)
        hot = tl.where(c == y, 1.0, hot)
        bad = tl.where(y == -1, 1, bad)
    small = tl.exp(-tl.abs(z))
    term = tl.maximum(z, 0.0) + tl.log(1.0 + small) - z * hot
    total = tl.sum(tl.where(real, term, 0.0), 0)
    tl.store(loss + i, tl.where(bad > 0, float("nan"), total))
    if BACKWARD:
        dz = (tl.where(z >= 0, 1.0, small) / (1.0 + small) - hot) * scale
        dz = tl.where(real, dz, 0.0)
        tl.store(Z + i * stride + c, dz.to(Z.dtype.element_ty), mask=c < stride)
