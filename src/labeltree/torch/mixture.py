"""Several trees over the same classes, whose probabilities are averaged."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import cast

import torch
from torch import Tensor, nn

from labeltree.arguments import check_integer
from labeltree.torch.head import TreeOutput
from labeltree.torch.search import MAX_KERNEL_K, TopK
from labeltree.torch.softmax import TreeSoftmax

ROWS_AT_ONCE = 1024  # whose probabilities of all classes are in memory
MIN_CANDIDATES = 16  # of each tree


class TreeMixture(nn.Module):
    """The mean of the probabilities of several `TreeSoftmax` layers.

    The trees group classes differently, so that their errors differ. Each is trained by its own
    loss. Two trees come as close to a full softmax as one with many more prototypes, at less cost.

    Parameters
    ----------
    heads
        Layers with the same classes and the same number of features.

    Examples
    --------
    >>> import torch
    >>> from labeltree.torch import Layout, TreeMixture, TreeSoftmax
    >>> layouts = [Layout.even(100, group_size=10), Layout.even(100, group_size=16)]
    >>> mixture = TreeMixture([TreeSoftmax(16, layout) for layout in layouts])
    >>> torch.allclose(mixture.log_prob(torch.randn(4, 16)).exp().sum(1), torch.ones(4))
    True
    """

    def __init__(self, heads: Sequence[TreeSoftmax]) -> None:
        super().__init__()
        if not heads:
            raise ValueError("heads must have at least one layer, but are empty")
        sizes = {(head.in_features, head.n_classes) for head in heads}
        if len(sizes) > 1:
            raise ValueError(
                f"heads must have the same features and classes, but have {sorted(sizes)}"
            )
        self.heads = nn.ModuleList(heads)
        self.n_classes = heads[0].n_classes

    def forward(self, x: Tensor, target: Tensor) -> TreeOutput:
        """Return the log-probability of the target of each row, and the mean loss of the trees."""
        found = [head(x, target) for head in self.heads]
        output = self._mean(torch.stack([one.output for one in found]))
        return TreeOutput(output, torch.stack([one.loss for one in found]).mean())

    def log_prob(self, x: Tensor) -> Tensor:
        """Return the log-probability of every class, (rows, n_classes)."""
        return self._mean(torch.stack([head.log_prob(x) for head in self.heads]))

    @torch.no_grad()
    def predict(self, x: Tensor) -> Tensor:
        """Return the most probable class of each row."""
        return self.top_k(x, 1).classes[:, 0]

    @torch.no_grad()
    def top_k(self, x: Tensor, k: int = 5, *, beam: int | None = None) -> TopK:
        """Return the k most probable classes of each row, in decreasing order.

        On a GPU, candidates are the most probable classes of each tree. Rows for which they are not
        certain to hold the k most probable ones are compared with all classes, unless a `beam` is
        given, which is that of the trees.
        """
        check_integer("k", k, minimum=1, maximum=self.n_classes)
        parts = [self._best(rows, k, beam) for rows in x.split(ROWS_AT_ONCE)]
        values, classes = zip(*parts, strict=True)
        return TopK(torch.cat(values), torch.cat(classes))

    def _best(self, x: Tensor, k: int, beam: int | None) -> TopK:
        heads = [cast(TreeSoftmax, head) for head in self.heads]
        n_found = min(self.n_classes, max(MIN_CANDIDATES, 2 * k))
        if not heads[0].uses_kernels(x) or n_found > MAX_KERNEL_K:
            return TopK(*self.log_prob(x).topk(k, 1))
        found = [head.top_k(x, n_found, beam=beam) for head in heads]
        candidates = torch.cat([one.classes for one in found], 1).sort(1).values
        value = self._log_prob_of(x, candidates)
        again = torch.zeros_like(candidates, dtype=torch.bool)
        again[:, 1:] = candidates[:, 1:] == candidates[:, :-1]
        best = TopK(*value.masked_fill_(again, -math.inf).topk(k, 1))
        best = TopK(best.log_prob, candidates.gather(1, best.classes))
        if beam is not None:
            return best
        # No tree gives a class that is not a candidate more than to its last one.
        limit = self._mean(torch.stack([one.log_prob[:, -1] for one in found]))
        open_ = (best.log_prob[:, -1] < limit).nonzero()[:, 0]
        if len(open_):
            exact = self.log_prob(x[open_]).float().topk(k, 1)
            best.log_prob[open_], best.classes[open_] = exact.values, exact.indices
        return best

    def _log_prob_of(self, x: Tensor, classes: Tensor) -> Tensor:
        """Return the log-probabilities of the given classes of each row, (rows, classes)."""
        repeated, target = x.repeat_interleave(classes.shape[1], 0), classes.flatten()
        each = [head(repeated, target).output for head in self.heads]
        return self._mean(torch.stack(each)).view(classes.shape)

    def _mean(self, log_prob: Tensor) -> Tensor:
        return log_prob.logsumexp(0) - math.log(len(self.heads))
