"""Which trees of a forest are kept, because held-back rows gain from them."""

from __future__ import annotations

from labeltree.model.model import Model
from labeltree.model.subforest import subforest
from labeltree.training.held_back import HeldBack, is_gain

# Standard errors that more trees must gain. They gain on most data sets, so a whole one is too
# strict.
_ERRORS = 0.5


def chosen_trees(model: Model, n_sure: int, held: HeldBack, n_threads: int) -> int:
    """Return how many trees to keep: all, or the first ones if the others are no gain.

    Parameters
    ----------
    model
        All trees.
    n_sure
        Number of trees that are kept anyway, the first ones.
    held
        The held-back rows, and the scores that the trees have for them before they learn from them.
    n_threads
        Number of threads.
    """
    first = subforest(model, range(n_sure))
    before = held._replace(scores=held.scores[:n_sure]).precision(first, n_threads)
    gain = held.precision(model, n_threads) - before
    return len(model.trees) if is_gain(gain, _ERRORS) else n_sure
