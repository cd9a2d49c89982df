"""Rows of features and their labels on a device, in batches without waiting for it."""

from __future__ import annotations

import copy
import os
from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
from torch import Tensor

from labeltree.arguments import shown


def parts(n_rows: int, size: int) -> Iterator[tuple[int, int]]:
    """Yield the first row of each part of that many rows, and the row after its last.

    Examples
    --------
    >>> list(parts(5, 2))
    [(0, 2), (2, 4), (4, 5)]
    """
    for first in range(0, n_rows, size):
        yield first, min(first + size, n_rows)


class Lists:
    """Lists of numbers of different lengths, such as the rows of a sparse matrix."""

    def __init__(self, starts: Any, numbers: Any, values: Any, device: Any) -> None:
        self._ends = np.asarray(starts, dtype=np.int64)  # on the host, which chooses rows
        self._starts = torch.as_tensor(self._ends, device=device)
        self.numbers = torch.as_tensor(np.asarray(numbers, dtype=np.int64), device=device)
        self.values = None if values is None else torch.as_tensor(values, device=device)

    def __len__(self) -> int:
        return len(self._ends) - 1

    def shuffled(self, order: Tensor) -> Lists:
        """Return the lists in another order, which is on the host."""
        device = self.numbers.device
        lengths = np.diff(self._ends)[order.numpy()]
        made = copy.copy(self)
        made._ends = np.append(0, np.cumsum(lengths))
        made._starts = torch.as_tensor(made._ends, device=device)
        chosen, total = order.to(device), int(made._ends[-1])
        if device.type == "cuda" or os.environ.get("TRITON_INTERPRET") == "1":
            from labeltree.torch.kernels.lists import copied

            tables = (chosen, self._starts, made._starts, self.numbers, self.values)
            made.numbers, made.values = copied(*tables, total)
            return made
        shift = self._starts[chosen] - made._starts[:-1]
        each = torch.repeat_interleave(shift, made._starts.diff(), output_size=total)
        at = torch.arange(total) + each
        made.numbers = self.numbers[at]
        made.values = None if self.values is None else self.values[at]
        return made

    def part(self, first: int, last: int) -> tuple[Tensor, Tensor, Tensor | None]:
        """Return the numbers of adjacent lists, where each list starts, and the values."""
        a, b = self._ends[first], self._ends[last]
        offsets = self._starts[first:last] - int(a)
        return self.numbers[a:b], offsets, None if self.values is None else self.values[a:b]


class Features:
    """The rows of X: a sparse matrix, or an array or tensor of dense rows."""

    def __init__(self, X: Any, device: Any) -> None:
        self._lists = self._dense = None
        if hasattr(X, "tocsr"):
            sparse = X.tocsr()
            values = sparse.data.astype(np.float32)
            self._lists = Lists(sparse.indptr, sparse.indices, values, device)
        else:
            self._dense = torch.as_tensor(X, dtype=torch.float32, device=device)
        self.device = device
        self.n_columns = int(X.shape[1])
        self.is_sparse = self._lists is not None

    def __len__(self) -> int:
        return len(self._lists if self._lists is not None else self._dense)  # type: ignore[arg-type]

    def shuffled(self, order: Tensor) -> Features:
        """Return the rows in another order, so that the rows of a batch are adjacent."""
        made = copy.copy(self)
        made._lists = None if self._lists is None else self._lists.shuffled(order)
        made._dense = None if self._dense is None else self._dense[order.to(self._dense.device)]
        return made

    def part(self, first: int, last: int) -> tuple[Tensor, ...]:
        """Return the arguments of the encoder for adjacent rows."""
        if self._lists is None:
            assert self._dense is not None
            return (self._dense[first:last],)
        numbers, offsets, values = self._lists.part(first, last)
        assert values is not None
        return numbers, offsets, values


class Targets:
    """The labels of the rows: one class per row, or any number of labels."""

    def __init__(self, Y: Any, device: Any) -> None:
        self.is_single = not hasattr(Y, "tocsr")
        if self.is_single:
            classes = np.asarray(Y)
            if classes.ndim != 1 or classes.dtype.kind not in "iu":
                raise TypeError(
                    "Y must be one class number per row or a sparse matrix of 0 and 1, "
                    f"but is {shown(Y)}"
                )
            self.n_labels = int(classes.max()) + 1
            starts = np.arange(len(classes) + 1)
            self._lists = Lists(starts, classes, None, device)
            self.counts = np.bincount(classes, minlength=self.n_labels)
        else:
            sparse = Y.tocsr()
            self.n_labels = int(sparse.shape[1])
            self._lists = Lists(sparse.indptr, sparse.indices, None, device)
            self.counts = np.bincount(sparse.indices, minlength=self.n_labels)

    def __len__(self) -> int:
        return len(self._lists)

    def extend(self, n_labels: int) -> None:
        """Let there be labels without rows."""
        self.counts = np.pad(self.counts, (0, n_labels - self.n_labels))
        self.n_labels = n_labels

    def shuffled(self, order: Tensor) -> Targets:
        """Return the labels of the rows in another order."""
        made = copy.copy(self)
        made._lists = self._lists.shuffled(order)
        return made

    def part(self, first: int, last: int) -> tuple[Tensor, ...]:
        """Return what the output layer takes besides the encoded rows, for adjacent rows."""
        if self.is_single:
            return (self._lists.numbers[first:last],)
        return self._lists.part(first, last)[:2]

    def sums(self, total: Tensor, encoded: Tensor, first: int) -> None:
        """Add encoded rows, from the first one on, to the sum of each of their labels."""
        last = first + len(encoded)
        if self.is_single:
            total.index_add_(0, self.part(first, last)[0], encoded)
            return
        labels, offsets, _ = self._lists.part(first, last)
        ends = torch.cat([offsets[1:], offsets.new_full((1,), len(labels))])
        row = torch.repeat_interleave(
            torch.arange(len(offsets), device=labels.device),
            ends - offsets,
            output_size=len(labels),
        )
        total.index_add_(0, labels, encoded[row])
