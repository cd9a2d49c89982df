"""Whole trainings: the same encoder and schedule under every output layer."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from labeltree.torch import (
    BagEncoder,
    FusedOptimizer,
    TreeBCE,
    TreeMixture,
    TreeSoftmax,
    cluster,
    graphed,
)
from labeltree.torch.regroup import transfer
from labeltree.torch.rows import Features, Targets, parts
from labeltree.torch.trainer import EVALUATED, label_means, set_priors

N_DIMENSIONS = 512
WARM_UP = 50


@dataclass(frozen=True)
class Plan:
    """How one network is trained."""

    name: str
    n_epochs: int = 6
    lr: float = 2e-3
    head_lr: float = 0.02
    group_size: int = 64
    n_prototypes: int = 8
    n_head: int = 0
    middle_size: int | None = None
    tree_epochs: float = 1  #: epochs under the first tree
    fresh: bool = False  #: whether training starts again under the second tree
    root: str = "adam"  #: method of the root
    root_lr: float = 2e-3
    n_trees: int = 1
    batch_size: int = 8192
    graphs: bool = False  #: whether layers run as CUDA graphs


class Run:
    """One training of an encoder with any output layer."""

    def __init__(self, plan: Plan, features: Features, targets: Targets, seed: int) -> None:
        self.plan, self.features, self.targets = plan, features, targets
        self.seed = seed
        self._order = torch.Generator().manual_seed(seed + 1)
        self.n_steps = max(1, len(features) // plan.batch_size)
        self._start_encoder()

    def _start_encoder(self) -> None:
        torch.manual_seed(self.seed)
        self.encoder = BagEncoder(self.features.n_columns, N_DIMENSIONS).cuda()
        self._adam = torch.optim.Adam(
            self.encoder.parameters(), lr=self.plan.lr, betas=(0.9, 0.99), fused=True
        )
        self.step = 0

    def dense(self, head: nn.Module) -> nn.Module:
        """Train a layer with Adam, like the encoder."""
        self._adam.add_param_group({"params": list(head.parameters())})
        self.train([head], self.plan.n_epochs, self.plan.n_epochs)
        return head

    def tree(self) -> list[Any]:
        """Train trees: a first one, then one from the means of the encoded rows."""
        plan = self.plan
        heads = self.heads(label_means(self.features, self.targets, None, self.seed))
        if plan.tree_epochs:
            self.train(heads, plan.tree_epochs, plan.n_epochs)
            old = heads
            heads = self.heads(label_means(self.features, self.targets, self.encoder, self.seed))
            if plan.fresh:
                self._start_encoder()
            else:
                for one, other in zip(old, heads, strict=True):
                    transfer(one, other)
        rest = plan.n_epochs if plan.fresh else plan.n_epochs - plan.tree_epochs
        self.train(heads, rest, plan.n_epochs)
        return heads

    def warm_up(self) -> None:
        """Compile the kernels, which are kept for later runs."""
        heads = self.heads(torch.randn(self.targets.n_labels, 16, device="cuda"))
        self.train(heads, 2 / self.n_steps, 1)

    def heads(self, means: Tensor) -> list[Any]:
        """Return output layers with fused optimizers."""
        plan = self.plan
        counts = torch.from_numpy(self.targets.counts)
        frequent = counts.argsort(descending=True)[: plan.n_head] if plan.n_head else None
        made = []
        for i in range(plan.n_trees):
            layout = cluster(
                means,
                group_size=plan.group_size,
                middle_size=plan.middle_size,
                head=frequent,
                random_state=self.seed + 17 * i,
            )
            settings = {"device": "cuda", "dtype": torch.bfloat16}
            head: Any
            if self.targets.is_single:
                k = plan.n_prototypes
                head = TreeSoftmax(N_DIMENSIONS, layout, n_prototypes=k, **settings)
            else:
                head = TreeBCE(N_DIMENSIONS, layout, **settings)
                set_priors(head, self.targets.counts, len(self.targets))
            FusedOptimizer(head, lr=plan.head_lr, root_method=plan.root, root_lr=plan.root_lr)
            made.append(graphed(head, plan.batch_size) if plan.graphs else head)
        return made

    def train(self, heads: list[Any], n_epochs: float, all_epochs: float) -> None:
        """Train for a number of epochs of a schedule over all of them."""
        last = round(all_epochs * self.n_steps)
        features, targets = self.features, self.targets
        for i in range(round(n_epochs * self.n_steps)):
            at = (i % self.n_steps) * self.plan.batch_size
            if not at:
                order = torch.randperm(len(self.features), generator=self._order)
                features, targets = self.features.shuffled(order), self.targets.shuffled(order)
            batch = (at, min(at + self.plan.batch_size, len(self.features)))
            self._set_rates(heads, last)
            x = self.encoder(*features.part(*batch))
            target = targets.part(*batch)
            losses = [head(x, *target).loss for head in heads]
            loss = losses[0] if len(losses) == 1 else torch.stack(losses).mean()
            with torch.autograd.set_multithreading_enabled(False):  # a thread costs time
                loss.backward()
            self._adam.step()
            self._adam.zero_grad(set_to_none=True)
            self.step += 1

    def _set_rates(self, heads: list[Any], last: int) -> None:
        warm = min(1.0, (self.step + 1) / WARM_UP)
        decay = max(0.02, 1 - self.step / last)
        for group in self._adam.param_groups:
            group["lr"] = self.plan.lr * warm * decay
        for head in heads:
            fused = getattr(head, "fused", None)
            if fused is not None:
                is_adam = self.plan.root == "adam"
                root = self.plan.root_lr * warm * decay if is_adam else self.plan.head_lr * warm
                fused.param_groups[0]["lr"] = root
                fused.param_groups[1]["lr"] = self.plan.head_lr * warm
                fused.step()


def timed(run: Callable[[], Any]) -> tuple[Any, float]:
    """Return the result and the seconds, with all work of the device."""
    torch.cuda.synchronize()
    start = time.perf_counter()
    made = run()
    torch.cuda.synchronize()
    return made, time.perf_counter() - start


@torch.no_grad()
def likelihood(encoder: nn.Module, heads: list[Any], X: Any, classes: Any) -> dict[str, float]:
    """Return the mean negative log-likelihood and accuracies on held-out rows."""
    features, target = Features(X, "cuda"), torch.as_tensor(classes, device="cuda")
    nll, hits, hits5 = (torch.zeros((), device="cuda", dtype=torch.float64) for _ in range(3))
    for first, last in parts(len(features), EVALUATED):
        x, y = encoder(*features.part(first, last)), target[first:last]
        outputs = torch.stack([head(x, y).output.double() for head in heads])
        nll -= (outputs.logsumexp(0) - torch.tensor(float(len(heads))).log().cuda()).sum()
        best = (heads[0] if len(heads) == 1 else TreeMixture(heads)).top_k(x, 5).classes
        hits += (best[:, 0] == y).sum()
        hits5 += (best == y[:, None]).any(1).sum()
    n = len(features)
    return {"nll": float(nll) / n, "acc1": float(hits) / n, "acc5": float(hits5) / n}


@torch.no_grad()
def precision(encoder: nn.Module, head: Any, X: Any, Y: Any) -> dict[str, float]:
    """Return precision at 1, 3 and 5 on held-out rows."""
    features = Features(X, "cuda")
    best = [
        head.top_k(encoder(*features.part(first, last)), 5).classes.cpu()
        for first, last in parts(len(features), EVALUATED)
    ]
    found = torch.cat(best).numpy()
    row = np.repeat(np.arange(Y.shape[0]), np.diff(Y.indptr))
    keys = row * Y.shape[1] + Y.indices
    hits = np.isin(np.arange(len(found))[:, None] * Y.shape[1] + found, keys)
    return {f"p{k}": float(hits[:, :k].mean()) for k in (1, 3, 5)}
