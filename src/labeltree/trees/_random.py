"""Random trees, for tests and as a baseline."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from labeltree.arguments import checked
from labeltree.trees.counts import as_arity, as_n_labels, as_seed
from labeltree.trees.leaves_first import tree_of_leaves_first
from labeltree.trees.tree import LabelTree

DEFAULT_ARITY = 3


@checked
def random(n_labels: int, *, arity: int = DEFAULT_ARITY, random_state: int = 0) -> LabelTree:
    """Return a random tree: uniformly drawn leaves are split in turn, then labeled at random.

    Every inner node has `arity` children, except the last node split, which may have fewer. The
    expected depth is O(log m). The same random_state gives the same tree. Takes O(m log m) time.

    Parameters
    ----------
    n_labels
        Number of labels.
    arity
        Number of children, at least 2.
    random_state
        Seed of the random number generator.

    Examples
    --------
    >>> random(9, random_state=1) == random(9, random_state=1)
    True
    >>> random(9, arity=2).max_degree
    2
    """
    m = as_n_labels(n_labels)
    arity = min(as_arity(arity), max(m, 2))
    stream = np.random.default_rng(as_seed(random_state))
    n_inner = -(-(m - 1) // (arity - 1))
    # Slot s holds a leaf until inner node i replaces it. Node i then has one child in slot s and
    # the others in its own slots, starting from 1 + i (arity - 1).
    taken = stream.integers(0, np.arange(n_inner) * (arity - 1) + 1)
    order = np.argsort(taken, kind="stable")
    holders = np.full(m, -1, np.int64)
    holders[1:] = np.arange(m - 1) // (arity - 1)
    inner_parent = holders[taken]
    again = np.flatnonzero(taken[order][1:] == taken[order][:-1])
    inner_parent[order[again + 1]] = order[again]
    holders[taken[order]] = order  # the last node to take a slot holds it
    parent = np.concatenate([holders, inner_parent])
    return tree_of_leaves_first(_shifted(parent, m), stream.permutation(m).astype(np.int32))


def _shifted(parent: NDArray[np.int64], m: int) -> NDArray[np.int32]:
    return np.where(parent < 0, parent, parent + m).astype(np.int32)
