"""The parts of the benchmark."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import torch

from benchmarks.torch import check, likelihood, precision, rivals, search, shapes, sorting, steps
from benchmarks.torch.timing import Recorder
from labeltree.torch import TreeBCE, TreeSoftmax
from labeltree.torch.timing import Timer

KINDS = ("zipf", "uniform")
REPEATS = 15


def run(names: Sequence[str], output: Path, data: Path | None, *, quick: bool) -> None:
    """Run the parts in order; what one part raises is recorded."""
    recorder = Recorder(output)
    recorder.add(
        what="machine",
        device=torch.cuda.get_device_name(),
        torch=torch.__version__,
        cuda=torch.version.cuda,
    )
    torch.manual_seed(0)
    timer = Timer("cuda", 5 if quick else REPEATS)
    for name in names:
        for title, part in _cases(name, recorder, timer, data, quick=quick):
            recorder.part(title, part)


def _cases(
    name: str, recorder: Recorder, timer: Timer, data: Path | None, *, quick: bool
) -> Sequence[tuple[str, Callable[[], None]]]:
    kinds = KINDS[:1] if quick else KINDS
    few = slice(1) if quick else slice(None)
    if name == "check":
        return [(name, partial(check.check_kernels, recorder))]
    if name == "steps":
        return [
            (f"{name} {tree}", partial(steps.softmax_steps, recorder, timer, tree, kinds))
            for tree in steps.TREES[few]
        ]
    if name == "labels":
        return [
            (f"{name} {tree}", partial(steps.label_steps, recorder, timer, tree, kinds))
            for tree in steps.LABEL_TREES[few]
        ]
    if name == "modules":
        trees = [steps.TREES[i] for i in (0, 4, 6)]
        label_trees = [steps.LABEL_TREES[i] for i in (0, 5)]
        return [
            (f"{name} {tree}", partial(steps.module_steps, recorder, timer, tree, kind))
            for kind, some in ((TreeSoftmax, trees), (TreeBCE, label_trees))
            for tree in some[few]
        ]
    if name == "search":
        return [
            (f"{name} {tree}", partial(search.beams, recorder, timer, tree))
            for tree in search.TREES[few]
        ]
    if name == "sort":
        return [(name, partial(sorting.compare, recorder, timer))]
    if name == "plan":
        return [
            (f"{name} {title}", partial(shapes.estimates, recorder, timer, labels_per_row, method))
            for title, labels_per_row, method in shapes.CASES[few]
        ]
    if name == "profile":
        return [
            (f"{name} {tree} {method}", partial(steps.profile, recorder, tree, method))
            for tree in [steps.TREES[0], steps.TREES[6]][few]
            for method in ("dense", "adagrad")
        ]
    if name == "rivals":
        return [
            (f"{name} {n}", partial(layer, recorder, timer, n))
            for n in [60160, 1000000][few]
            for layer in (rivals.adaptive_softmax, rivals.full_softmax)
        ] + [
            (name, partial(layer, recorder, timer, 60160))
            for layer in (rivals.one_versus_all, rivals.all_scores)
        ]
    if data is None:
        return [(name, _no_data)]
    comparisons = {
        "likelihood": likelihood.compare,
        "lengths": likelihood.compare_lengths,
        "planned": likelihood.compare_planned,
        "precision": precision.compare,
    }
    return [(name, partial(comparisons[name], recorder, timer, data, quick=quick))]


def _no_data() -> None:
    raise ValueError("this part needs data; give the folder with --data")
