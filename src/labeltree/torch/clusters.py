"""Groups of similar classes, from embeddings."""

from __future__ import annotations

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from labeltree.arguments import check_integer
from labeltree.torch.layout import MAX_GROUP_SIZE, IntArray, Layout, even_sizes

ITERATIONS = 6  # of each split; more change little
ROWS_AT_ONCE = 1 << 17  # whose scores are computed, which bounds the memory


@torch.no_grad()
def cluster(
    embeddings: Tensor,
    *,
    group_size: int = 64,
    middle_size: int | None = None,
    head: Tensor | None = None,
    random_state: int = 0,
) -> Layout:
    """Return a layout whose groups hold classes with similar embeddings.

    Classes are split by balanced 2-means with cosine similarity until groups have `group_size`
    classes. Group classes by similarity, never by frequency: the likelihood depends on it.

    Parameters
    ----------
    embeddings
        One row per class, such as the mean of the encoded rows of each class.
    group_size
        Number of classes of a group, at most 256.
    middle_size
        Number of groups of a middle node, for three levels.
    head
        Classes that become children of the root, such as the most frequent ones.
    random_state
        Seed of the initial directions.

    Examples
    --------
    >>> import torch
    >>> from labeltree.torch import cluster
    >>> cluster(torch.tensor([[1.0, 0], [0, 1], [1, 0.1], [0.1, 1]]), group_size=2).order.tolist()
    [1, 3, 2, 0]
    """
    check_integer("group_size", group_size, minimum=1, maximum=MAX_GROUP_SIZE)
    single = np.empty(0, dtype=np.int64) if head is None else head.cpu().numpy().astype(np.int64)
    sizes = even_sizes(len(embeddings) - len(single), group_size)
    middle = None if middle_size is None else even_sizes(len(sizes), middle_size)
    order = np.concatenate([single, np.setdiff1d(np.arange(len(embeddings)), single)])
    return rearranged(Layout(order, len(single), sizes, middle), embeddings, random_state)


@torch.no_grad()
def rearranged(layout: Layout, embeddings: Tensor, random_state: int = 0) -> Layout:
    """Return a layout of the same shape whose groups hold classes with similar embeddings."""
    vectors = F.normalize(embeddings.float(), dim=1)
    generator = torch.Generator().manual_seed(random_state)
    rest = torch.from_numpy(np.sort(layout.order[layout.n_head :])).to(vectors.device)
    sizes = layout.group_sizes
    if layout.middle_sizes is None:
        parts = [_split(vectors, rest, sizes, generator)]
    else:
        starts = np.append(0, np.cumsum(layout.middle_sizes))
        ends = np.append(0, np.cumsum(sizes))[starts]
        wide = _split(vectors, rest, np.diff(ends), generator)
        parts = [
            _split(vectors, part, sizes[a:b], generator)
            for part, a, b in zip(
                wide.split(np.diff(ends).tolist()), starts, starts[1:], strict=False
            )
        ]
    order = np.concatenate([layout.order[: layout.n_head], torch.cat(parts).cpu().numpy()])
    return Layout(order, layout.n_head, sizes, layout.middle_sizes)


def _split(vectors: Tensor, classes: Tensor, sizes: IntArray, generator: torch.Generator) -> Tensor:
    """Return the classes in an order whose consecutive parts of these sizes hold similar ones.

    All parts of one depth are split together, which takes few operations on a GPU.
    """
    ends = np.append(0, np.cumsum(sizes))
    edges = np.array([0, len(sizes)])  # parts of this depth, in groups
    own = vectors[classes]
    while np.diff(edges).max(initial=0) > 1:
        middle = edges[:-1] + np.maximum(1, np.diff(edges) // 2)
        halves = np.stack([ends[middle] - ends[edges[:-1]], ends[edges[1:]] - ends[middle]], 1)
        order = _ranking(own, torch.from_numpy(halves).to(own.device), generator)
        classes, own = classes[order], own[order]
        edges = np.unique(np.concatenate([edges, middle]))
    return classes


def _ranking(vectors: Tensor, halves: Tensor, generator: torch.Generator) -> Tensor:
    """Return the rows of each part along the direction between its two clusters.

    The parts are consecutive, and halves has the sizes of their two clusters, (parts, 2).
    """
    lengths = halves.sum(1)
    n_parts, n_rows = len(lengths), len(vectors)
    part = torch.repeat_interleave(torch.arange(n_parts, device=vectors.device), lengths)
    drawn = torch.rand(n_parts, 2, generator=generator, dtype=torch.float64).to(vectors.device)
    chosen = (lengths.cumsum(0) - lengths)[:, None] + (drawn * lengths[:, None]).long()
    direction = vectors[chosen[:, 0]] - vectors[chosen[:, 1]]
    for i in range(ITERATIONS + 1):
        scores = torch.cat(
            [
                (vectors[rows] * direction[part[rows]]).sum(1)
                for rows in torch.arange(n_rows, device=vectors.device).split(ROWS_AT_ONCE)
            ]
        )
        order = torch.argsort(scores, descending=True, stable=True)
        order = order[torch.argsort(part[order], stable=True)]
        if i < ITERATIONS:
            sums = torch.segment_reduce(vectors[order], "sum", lengths=halves.flatten())
            means = F.normalize(sums, dim=1).unflatten(0, (n_parts, 2))
            direction = means[:, 0] - means[:, 1]
    return order
