"""Rows of features and their labels on a device, in batches without waiting for it."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from labeltree.arguments import shown


class Order:
    """Numbers of rows, on the host and on the device."""

    def __init__(self, here: NDArray[np.int64], there: Tensor) -> None:
        self.here, self.there = here, there

    @classmethod
    def of(cls, rows: Tensor | Order, device: Any) -> Order:
        """Return the order of rows; a tensor on the host is copied to the device."""
        if isinstance(rows, Order):
            return rows
        return cls(rows.numpy(), rows.to(device, non_blocking=True))

    def __getitem__(self, part: slice) -> Order:
        return Order(self.here[part], self.there[part])


class Lists:
    """Lists of numbers of different lengths, such as the rows of a sparse matrix."""

    def __init__(self, starts: Any, numbers: Any, values: Any, device: Any) -> None:
        self._lengths = np.diff(starts).astype(np.int64)  # on the host
        self._starts = torch.as_tensor(np.asarray(starts[:-1], dtype=np.int64), device=device)
        self._on_device = torch.as_tensor(self._lengths, device=device)
        self.numbers = torch.as_tensor(np.asarray(numbers, dtype=np.int64), device=device)
        self.values = None if values is None else torch.as_tensor(values, device=device)

    def __len__(self) -> int:
        return len(self._lengths)

    def take(self, rows: Tensor | Order) -> tuple[Tensor, Tensor, Tensor | None]:
        """Return the numbers of the chosen lists, where each list starts, and the values."""
        chosen = Order.of(rows, self._starts.device)
        total = int(self._lengths[chosen.here].sum())  # a sum on the device would wait for it
        lengths = self._on_device[chosen.there]
        offsets = lengths.cumsum(0) - lengths
        if self._starts.is_cuda or os.environ.get("TRITON_INTERPRET") == "1":
            from labeltree.torch.kernels.lists import copied

            tables = (self._starts, self._on_device, offsets, self.numbers, self.values)
            numbers, values = copied(chosen.there, *tables, total)
            return numbers, offsets, values
        shift = self._starts[chosen.there] - offsets
        at = torch.arange(total) + torch.repeat_interleave(shift, lengths, output_size=total)
        return self.numbers[at], offsets, None if self.values is None else self.values[at]


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

    def take(self, chosen: Tensor | Order) -> tuple[Tensor, ...]:
        """Return the arguments of the encoder for the chosen rows."""
        if self._lists is None:
            assert self._dense is not None
            return (self._dense[Order.of(chosen, self._dense.device).there],)
        numbers, offsets, values = self._lists.take(chosen)
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

    def take(self, chosen: Tensor | Order) -> tuple[Tensor, ...]:
        """Return what the output layer takes besides the encoded rows."""
        if self.is_single:
            numbers = self._lists.numbers
            return (numbers[Order.of(chosen, numbers.device).there],)
        return self._lists.take(chosen)[:2]

    def sums(self, total: Tensor, encoded: Tensor, chosen: Tensor) -> None:
        """Add the encoded rows to the sum of each of their labels."""
        if self.is_single:
            total.index_add_(0, self.take(chosen)[0], encoded)
            return
        labels, offsets, _ = self._lists.take(chosen)
        ends = torch.cat([offsets[1:], offsets.new_full((1,), len(labels))])
        row = torch.repeat_interleave(
            torch.arange(len(offsets), device=labels.device),
            ends - offsets,
            output_size=len(labels),
        )
        total.index_add_(0, labels, encoded[row])
