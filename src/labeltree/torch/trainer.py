"""Training of an encoder with an output layer whose tree is found on the way."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from labeltree.arguments import check_integer
from labeltree.torch.bce import TreeBCE
from labeltree.torch.costs import TreeShape
from labeltree.torch.encoders import BagEncoder
from labeltree.torch.fused import FusedOptimizer
from labeltree.torch.head import TreeHead
from labeltree.torch.layout import Layout
from labeltree.torch.mixture import TreeMixture
from labeltree.torch.regroup import transfer
from labeltree.torch.rows import Features, Targets, parts
from labeltree.torch.search import TopK
from labeltree.torch.softmax import TreeSoftmax

WARM_UP_STEPS = 50
LAST_RATE = 0.02  # of the first, at the end of the linear schedule
HEAD_RATES = {True: 0.02, False: 0.005}  # by whether rows have one class
PROJECTED = 128  # dimensions of the random projection that the first tree is built from
EVALUATED = 4096  # rows at once, without gradients


class TreeNetwork(nn.Module):
    """An encoder and an output layer, trained by `fit`."""

    def __init__(self, encoder: nn.Module, head: TreeHead | TreeMixture) -> None:
        super().__init__()
        self.encoder = encoder
        self.head = head

    def forward(self, inputs: tuple[Tensor, ...], *target: Tensor) -> Any:
        """Return the output and the loss of encoded rows."""
        return self.head(self.encoder(*inputs), *target)

    @torch.no_grad()
    def top_k(self, X: Any, k: int = 5, *, beam: int | None = None) -> TopK:
        """Return the k most probable classes of each row of X."""
        encoded = self.encoded(Features(X, next(self.head.parameters()).device))
        parts = [self.head.top_k(x, k, beam=beam) for x in encoded]
        return TopK(*(torch.cat(one) for one in zip(*parts, strict=True)))

    def encoded(self, features: Features) -> Iterator[Tensor]:
        """Yield the encoded rows of X in parts."""
        for first, last in parts(len(features), EVALUATED):
            yield self.encoder(*features.part(first, last))


@dataclass(frozen=True)
class Settings:
    """How `fit` trains."""

    n_trees: int
    shape: TreeShape
    n_epochs: int
    tree_epochs: int
    batch_size: int
    lr: float
    head_lr: float
    random_state: int
    dtype: torch.dtype


def fit(
    X: Any,
    Y: Any,
    *,
    encoder: nn.Module | None = None,
    n_trees: int = 1,
    n_head: int = 0,
    group_size: int = 64,
    middle_size: int | None = None,
    n_prototypes: int = 8,
    n_epochs: int = 6,
    tree_epochs: int = 1,
    batch_size: int = 8192,
    lr: float = 2e-3,
    head_lr: float | None = None,
    device: Any = None,
    random_state: int = 0,
    report: Callable[[int, float], None] | None = None,
) -> TreeNetwork:
    """Train an encoder and an output layer, and return both.

    The first tree groups labels by the means of their rows. After `tree_epochs`, labels are grouped
    again by the means of their encoded rows, and the layer keeps what it has learned.

    Parameters
    ----------
    X
        Features of the rows: a sparse matrix, or dense rows.
    Y
        One class number per row for `TreeSoftmax`, or a sparse matrix of 0 and 1 for `TreeBCE`.
    encoder
        A module from the rows of X to dense rows, with an attribute `n_dimensions`. By default, a
        `BagEncoder` of 512 dimensions.
    n_trees
        Number of trees for one class per row; see `TreeMixture`.
    n_head, group_size, middle_size, n_prototypes
        Shape of the tree; see `TreeShape`. `plan` finds one for a device.
    n_epochs
        Number of passes over the rows.
    tree_epochs
        Number of passes before the labels are grouped again; 0 keeps the first tree.
    batch_size
        Number of rows of a step.
    lr
        Learning rate of the encoder and of the root, which Adam trains.
    head_lr
        Learning rate of the output layer below the root, which row-wise Adagrad trains. By default,
        0.02 for classes and 0.005 for labels.
    device
        Device of the training; the first GPU if there is one.
    random_state
        Seed of weights, trees and the order of the rows.
    report
        Called with the epoch and its mean loss.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.sparse import csr_array
    >>> from labeltree.torch import BagEncoder, fit
    >>> X = csr_array(np.eye(4)[[0, 1, 2, 3] * 8])
    >>> network = fit(
    ...     X, [0, 1, 2, 3] * 8, encoder=BagEncoder(4, 16), group_size=2, n_prototypes=1,
    ...     batch_size=4, lr=0.05, device="cpu",
    ... )
    >>> network.top_k(X[:4], 1).classes.ravel().tolist()
    [0, 1, 2, 3]
    """
    for name, value in (("n_trees", n_trees), ("n_epochs", n_epochs), ("batch_size", batch_size)):
        check_integer(name, value, minimum=1)
    place = torch.device(device or ("cuda" if torch.cuda.is_available() else "cpu"))
    shape = TreeShape(n_head, group_size, middle_size, n_prototypes)
    dtype = torch.bfloat16 if place.type == "cuda" else torch.float32
    features, targets = Features(X, place), Targets(Y, place)
    if n_trees > 1 and not targets.is_single:
        raise ValueError(f"n_trees must be 1 for several labels per row, but is {n_trees}")
    shape.check(targets.n_labels)
    rate = HEAD_RATES[targets.is_single] if head_lr is None else head_lr
    settings = Settings(
        n_trees,
        shape,
        n_epochs,
        tree_epochs,
        batch_size,
        lr,
        rate,
        random_state,
        dtype,
    )
    if len(features) != len(targets):
        raise ValueError(f"X has {len(features)} rows, but Y has {len(targets)}")
    torch.manual_seed(random_state)
    made = (encoder or BagEncoder(features.n_columns)).to(place)
    return _Training(settings, features, targets, made, place).run(report)


class _Training:
    def __init__(
        self,
        settings: Settings,
        features: Features,
        targets: Targets,
        encoder: nn.Module,
        device: torch.device,
    ) -> None:
        self._settings = settings
        self._features, self._targets, self._encoder = features, targets, encoder
        self._device = device
        self._order = torch.Generator().manual_seed(settings.random_state + 1)
        self._n_steps = settings.n_epochs * self._steps_per_epoch
        self._step = 0
        self._optimizer = torch.optim.Adam(
            encoder.parameters(), lr=settings.lr, betas=(0.9, 0.99), fused=True
        )

    @property
    def _steps_per_epoch(self) -> int:
        return max(1, len(self._features) // self._settings.batch_size)

    def run(self, report: Callable[[int, float], None] | None) -> TreeNetwork:
        heads = self._heads(self._means(None))
        for epoch in range(self._settings.n_epochs):
            if epoch and epoch == self._settings.tree_epochs:
                old, heads = heads, self._heads(self._means(self._encoder))
                for one, other in zip(old, heads, strict=True):
                    transfer(one, other)
            loss = self._epoch(heads)
            if report is not None:
                report(epoch, loss)
        if len(heads) == 1:
            return TreeNetwork(self._encoder, heads[0])
        return TreeNetwork(self._encoder, TreeMixture(heads))  # type: ignore[arg-type]

    def _heads(self, means: Tensor) -> list[TreeHead]:
        """Return layers whose groups hold labels with similar means, with their optimizers."""
        return [self._head(means, i) for i in range(self._settings.n_trees)]

    def _head(self, means: Tensor, number: int) -> TreeHead:
        settings = self._settings
        seed = settings.random_state + number
        layout = settings.shape.layout(means, self._targets.counts, random_state=seed)
        d = int(self._encoder.n_dimensions)  # type: ignore[arg-type]
        factory = {"device": self._device, "dtype": settings.dtype}
        head: TreeHead
        if self._targets.is_single:
            head = TreeSoftmax(d, layout, n_prototypes=settings.shape.n_prototypes, **factory)
        else:
            head = TreeBCE(d, layout, **factory)
            set_priors(head, self._targets.counts, len(self._targets))
        FusedOptimizer(head, lr=settings.head_lr, root_method="adam", root_lr=settings.lr)
        return head

    def _means(self, encoder: nn.Module | None) -> Tensor:
        return label_means(self._features, self._targets, encoder, self._settings.random_state)

    def _epoch(self, heads: list[TreeHead]) -> float:
        order = torch.randperm(len(self._features), generator=self._order)
        features, targets = self._features.shuffled(order), self._targets.shuffled(order)
        size = self._settings.batch_size
        total = torch.zeros((), device=self._device)
        for i in range(self._steps_per_epoch):
            batch = (i * size, min((i + 1) * size, len(order)))
            self._set_rates(heads)
            x = self._encoder(*features.part(*batch))
            target = targets.part(*batch)
            losses = [head(x, *target).loss for head in heads]
            loss = losses[0] if len(losses) == 1 else torch.stack(losses).mean()
            with torch.autograd.set_multithreading_enabled(False):  # a thread costs time
                loss.backward()
            self._optimizer.step()
            self._optimizer.zero_grad(set_to_none=True)
            total += loss.detach()
            self._step += 1
        return float(total) / self._steps_per_epoch

    def _set_rates(self, heads: list[TreeHead]) -> None:
        """Warm up, then let the rate of the encoder fall linearly; Adagrad falls by itself."""
        warm = min(1.0, (self._step + 1) / min(WARM_UP_STEPS, self._n_steps))
        decay = max(LAST_RATE, 1 - self._step / self._n_steps)
        for group in self._optimizer.param_groups:
            group["lr"] = self._settings.lr * warm * decay
        for head in heads:
            assert head.fused is not None
            root, rest = head.fused.param_groups
            root["lr"] = self._settings.lr * warm * decay
            rest["lr"] = self._settings.head_lr * warm
            head.fused.step()


@torch.no_grad()
def label_means(
    features: Features, targets: Targets, encoder: nn.Module | None, random_state: int
) -> Tensor:
    """Return the sum of the encoded rows of each label, whose direction is that of their mean.

    Without an encoder, sparse rows are projected at random.
    """
    encode = _projection(features, random_state) if encoder is None else _unit(encoder)
    total: Tensor | None = None
    for first, last in parts(len(features), EVALUATED * 8):
        encoded = encode(*features.part(first, last))
        if total is None:
            total = encoded.new_zeros(targets.n_labels, encoded.shape[1])
        targets.sums(total, encoded, first)
    assert total is not None
    return total


def _projection(features: Features, random_state: int) -> Callable[..., Tensor]:
    if not features.is_sparse:
        return lambda x: x
    generator = torch.Generator().manual_seed(random_state)
    table = torch.randn((features.n_columns, PROJECTED), generator=generator).to(features.device)
    return lambda numbers, offsets, values: F.embedding_bag(
        numbers, table, offsets, mode="sum", per_sample_weights=values
    )


def _unit(encoder: nn.Module) -> Callable[..., Tensor]:
    return lambda *inputs: F.normalize(encoder(*inputs).float(), dim=1)


@torch.no_grad()
def set_priors(head: TreeHead, counts: Any, n_rows: int) -> None:
    """Let the biases start at the log-odds of the frequencies of the nodes."""
    layout: Layout = head.layout
    by_position = counts[layout.order].astype(np.float64) + 0.5
    below = by_position[layout.n_head :]
    chances_of = {}
    for name, sizes in (("leaf", layout.group_sizes), ("middle", layout.middle_sizes)):
        if sizes is not None:
            sums = np.add.reduceat(below, np.append(0, np.cumsum(sizes)[:-1]))
            chances_of[name] = below / np.repeat(sums + 1, sizes)
            # Labels of a group often occur together, so that the sum is an upper bound.
            below = np.minimum(sums, 0.5 * n_rows)
    chances_of["root"] = np.concatenate([by_position[: layout.n_head], below]) / n_rows
    for name, chances in chances_of.items():
        odds = [math.log(p / (1 - p)) for p in np.clip(chances, 1e-6, 0.9)]
        bias = getattr(head, f"{name}_bias")
        bias[: len(odds)].copy_(torch.tensor(odds))
