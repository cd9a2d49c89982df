"""Times of the search for the five best labels."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor

from benchmarks.torch.draws import N_ROWS, rows
from benchmarks.torch.steps import Tree
from benchmarks.torch.timing import Recorder
from labeltree.torch import TreeSoftmax, plain
from labeltree.torch.timing import Timer, captured

TREES = [
    Tree(60160, 0, 64),
    Tree(60160, 256, 64),
    Tree(60160, 0, 128),
    Tree(60160, 0, 64, None, 8),
    Tree(1000000, 0, 256),
]
BEAM = 10
TOLERANCE = 1e-3  # of log-probabilities in different orders of summation


def beams(recorder: Recorder, timer: Timer, tree: Tree) -> None:
    """Time the five best labels of the ten best groups."""
    head = tree.softmax()
    x = rows()
    head.top_k(x, 5, beam=BEAM)
    found = {"eager": timer.time(lambda: head.top_k(x, 5, beam=BEAM)) / N_ROWS}
    graph = captured(lambda: head.top_k(x, 5, beam=BEAM))
    found["us_row"] = timer.time(graph.replay) / N_ROWS
    recorder.add(what="beam", **tree._asdict(), beam=BEAM, **found)


@torch.no_grad()
def exactness(recorder: Recorder, timer: Timer, name: str, head: TreeSoftmax, x: Tensor) -> None:
    """Time the exact search of a trained layer, and count the rows in which it is wrong."""
    x = x.to(head.root.dtype)
    wanted = torch.cat([_five_best(head, part) for part in x.split(512)])
    found, beam = head.top_k(x, 5), head.top_k(x, 5, beam=BEAM)
    recorder.add(
        what="exact search",
        plan=name,
        n_rows=len(x),
        eager=timer.time(lambda: head.top_k(x, 5)) / len(x),
        beam_eager=timer.time(lambda: head.top_k(x, 5, beam=BEAM)) / len(x),
        wrong=int((found.log_prob < wanted - TOLERANCE).any(1).sum()),
        beam_wrong=int((beam.log_prob < wanted - TOLERANCE).any(1).sum()),
        beam_wrong_first=int((beam.log_prob < wanted - TOLERANCE)[:, 0].sum()),
    )


def _five_best(head: TreeSoftmax, x: Tensor) -> Tensor:
    """Return the values of the five best classes, by all classes in single precision.

    The logits of the root are rounded as in the layer.
    """
    root = F.linear(x, head.root)[:, : head.n_columns].float()
    single, many = root[:, : head.n_head], root[:, head.n_head :]
    tops = torch.cat([single, many.unflatten(1, (-1, head.n_prototypes)).logsumexp(2)], 1)
    tops = tops.log_softmax(1)
    level = head.levels()[-1]
    level = level._replace(weight=level.weight.float())
    inside = plain.level_log_softmax(level, x.float(), tops[:, head.n_head :])
    return torch.cat([tops[:, : head.n_head], inside], 1).topk(5, 1).values
