"""Gradients of the weights, written out or applied at once."""

from __future__ import annotations

import triton
import triton.language as tl

DENSE: int = 0  #: write the gradient of every row
SGD: int = 1
ADAGRAD: int = 2  #: one state per row: the sum of its mean squared gradients
ADAM: int = 3  #: two states per number; for the root only
BETAS = (0.9, 0.99)


@triton.jit
def group_gradient(
    X, DS, begin, first, touched, count, row_at,
    factor, DW, DB, W, LOW, B, BLOW, STATE, rate,
    eps, n_groups,
    D: tl.constexpr, WIDTH: tl.constexpr, PART: tl.constexpr, BLOCK: tl.constexpr,
    TILE: tl.constexpr, N_PROGRAMS: tl.constexpr, METHOD: tl.constexpr,
    BIAS: tl.constexpr, SPLIT: tl.constexpr, EARLY: tl.constexpr, PRECISION: tl.constexpr,
):  # fmt: skip
    """Sum the gradient of the weights of each group over its rows, and write or apply it.

    A program takes PART siblings and BLOCK features. Updates visit only groups with rows;
    Adagrad takes all features of a row together (BLOCK >= D). `factor` is the gradient of the loss.
    """
    N_BLOCKS: tl.constexpr = (D + BLOCK - 1) // BLOCK
    N_PARTS: tl.constexpr = (WIDTH // PART) * N_BLOCKS
    n = n_groups if METHOD == 0 else tl.load(count + 1)
    scale = tl.load(factor).to(tl.float32)
    for t in range(tl.program_id(0), n * N_PARTS, N_PROGRAMS):
        g = t // N_PARTS if METHOD == 0 else tl.load(touched + t // N_PARTS)
        c0 = ((t % N_PARTS) // N_BLOCKS) * PART
        d0 = (t % N_BLOCKS) * BLOCK
        w = tl.load(first + g).to(tl.int64) + c0 + tl.arange(0, PART)
        real = w < tl.load(first + g + 1).to(tl.int64)
        ds = d0 + tl.arange(0, BLOCK)
        mask = real[:, None] & (ds < D)[None, :]
        at = w[:, None] * D + ds[None, :]
        if EARLY:
            old = _read(W, LOW, at, mask, SPLIT)  # overlaps the sum, at the cost of registers
        grad = tl.zeros((PART, BLOCK), tl.float32)
        grad_bias = tl.zeros((PART,), tl.float32)
        end = tl.load(begin + g + 1)
        for r in range(tl.load(begin + g), end, TILE):
            rows = r + tl.arange(0, TILE)
            live = rows < end
            row = tl.load(row_at + rows, mask=live, other=0)
            s = tl.load(
                DS + rows.to(tl.int64)[None, :] * WIDTH + c0 + tl.arange(0, PART)[:, None],
                mask=live[None, :], other=0.0,
            )  # fmt: skip
            x = tl.load(
                X + row.to(tl.int64)[:, None] * D + ds[None, :],
                mask=live[:, None] & (ds < D)[None, :], other=0.0,
            )  # fmt: skip
            grad = tl.dot(s, x, grad, input_precision=PRECISION)
            if BIAS:
                grad_bias += tl.sum(s.to(tl.float32), 1)
        grad *= scale
        grad_bias *= scale
        if METHOD == 0:
            tl.store(DW + at, grad.to(DW.dtype.element_ty), mask=mask)
            if BIAS:
                if d0 == 0:
                    tl.store(DB + w, grad_bias.to(DB.dtype.element_ty), mask=real)
        else:
            step = _rate(STATE, w, real, grad, grad_bias, rate, eps, D, PART, METHOD)
            if not EARLY:
                old = _read(W, LOW, at, mask, SPLIT)
            _write(W, LOW, at, mask, old - grad * step[:, None], SPLIT)
            if BIAS:
                if d0 == 0:
                    offset = _read(B, BLOW, w, real, SPLIT) - grad_bias * step
                    _write(B, BLOW, w, real, offset, SPLIT)


@triton.jit
def row_update(
    G, GB, W, LOW, B, BLOW, STATE, factor, rate,
    eps, n_rows,
    D: tl.constexpr, PART: tl.constexpr, BLOCK: tl.constexpr, METHOD: tl.constexpr,
    BIAS: tl.constexpr, SPLIT: tl.constexpr,
):  # fmt: skip
    """Apply a dense gradient to PART rows per program; BLOCK >= D."""
    w = (tl.program_id(0) * PART + tl.arange(0, PART)).to(tl.int64)
    real = w < n_rows
    ds = tl.arange(0, BLOCK)
    mask = real[:, None] & (ds < D)[None, :]
    at = w[:, None] * D + ds[None, :]
    scale = tl.load(factor).to(tl.float32)
    grad = tl.load(G + at, mask=mask, other=0.0).to(tl.float32) * scale
    grad_bias = tl.zeros((PART,), tl.float32)
    if BIAS:
        grad_bias = tl.load(GB + w, mask=real, other=0.0).to(tl.float32) * scale
    step = _rate(STATE, w, real, grad, grad_bias, rate, eps, D, PART, METHOD)
    _write(W, LOW, at, mask, _read(W, LOW, at, mask, SPLIT) - grad * step[:, None], SPLIT)
    if BIAS:
        _write(B, BLOW, w, real, _read(B, BLOW, w, real, SPLIT) - grad_bias * step, SPLIT)


@triton.jit
def adam_update(
    G, W, LOW, M, V, factor, rate, count, eps, n_numbers,
    BETA1: tl.constexpr, BETA2: tl.constexpr, BLOCK: tl.constexpr, SPLIT: tl.constexpr,
):  # fmt: skip
    """Apply a dense gradient by Adam, with the number of the step on the device."""
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n_numbers
    step = tl.load(count)
    grad = tl.load(G + at, mask=mask, other=0.0).to(tl.float32) * tl.load(factor).to(tl.float32)
    m = BETA1 * tl.load(M + at, mask=mask, other=0.0) + (1 - BETA1) * grad
    v = BETA2 * tl.load(V + at, mask=mask, other=0.0) + (1 - BETA2) * grad * grad
    tl.store(M + at, m, mask=mask)
    tl.store(V + at, v, mask=mask)
    mean = m / (1 - tl.exp(step * tl.log(BETA1 * 1.0)))
    square = v / (1 - tl.exp(step * tl.log(BETA2 * 1.0)))
    change = tl.load(rate) * mean / (tl.sqrt(square) + eps)
    _write(W, LOW, at, mask, _read(W, LOW, at, mask, SPLIT) - change, SPLIT)


@triton.jit(do_not_specialize=["n_numbers"])
def multiply(X, factor, n_numbers, BLOCK: tl.constexpr):
    """Multiply by a number on the device; most often it is 1, and nothing is read."""
    number = tl.load(factor).to(tl.float32)
    if number != 1.0:
        at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
        mask = at < n_numbers
        x = tl.load(X + at, mask=mask, other=0.0).to(tl.float32) * number
        tl.store(X + at, x.to(X.dtype.element_ty), mask=mask)


@triton.jit
def _rate(
    STATE, w, real, grad, grad_bias, rate, eps,
    D: tl.constexpr, PART: tl.constexpr, METHOD: tl.constexpr,
):  # fmt: skip
    """Return the learning rate of each row, after Adagrad has seen the gradient."""
    step = tl.zeros((PART,), tl.float32) + tl.load(rate)
    if METHOD == 2:
        square = (tl.sum(grad * grad, 1) + grad_bias * grad_bias) / D
        state = tl.load(STATE + w, mask=real, other=0.0) + square
        tl.store(STATE + w, state, mask=real)
        step = step / (tl.sqrt(state) + eps)
    return step


@triton.jit
def _read(W, LOW, at, mask, SPLIT: tl.constexpr):
    """Return weights in float32.

    Split weights are a bfloat16 and the 16 bits that it lacks, which together are a float32.
    """
    if SPLIT:
        high = tl.load(W + at, mask=mask, other=0.0).to(tl.int16, bitcast=True).to(tl.int32)
        low = tl.load(LOW + at, mask=mask, other=0).to(tl.int32)
        return ((high << 16) + low).to(tl.float32, bitcast=True)
    else:
        return tl.load(W + at, mask=mask, other=0.0)


@triton.jit
def _write(W, LOW, at, mask, new, SPLIT: tl.constexpr):
    if SPLIT:
        bits = new.to(tl.int32, bitcast=True)
        rounded = (bits + 32768) >> 16  # to nearest; the rest is signed
        tl.store(W + at, rounded.to(tl.int16).to(tl.bfloat16, bitcast=True), mask=mask)
        tl.store(LOW + at, (bits - (rounded << 16)).to(tl.int16), mask=mask)
    else:
        tl.store(W + at, new, mask=mask)
