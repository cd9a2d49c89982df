"""Which features, tree, loss, C and forest: accuracy against training time, on validation rows.

    python -m benchmarks.study DATA/eurlex-4k [--only trees,losses] [--output results.json]

The rows of X.trn.npz are split into training and validation rows; test rows are not looked at.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.preprocessing import normalize

from benchmarks.machine import machine
from labeltree import LabelTree, cost, metrics, trees
from labeltree import model as model_module
from labeltree.data import LabelRows, as_features, read_npz, read_npz_labels
from labeltree.model import Model
from labeltree.model.layout import Layout
from labeltree.training.feature_weighting import Powers, learn_scaling
from labeltree.training.nodes import SolverSettings, train_tree
from labeltree.trees.by_name import find_builder

MAX_VALIDATION = 20_000  # P@1 of so many rows is known to about 0.3 points


@dataclass(frozen=True)
class Choice:
    """One way to train."""

    tree: str = "blend"
    options: dict[str, Any] = field(default_factory=dict)
    n_trees: int = 1
    solver: dict[str, Any] = field(default_factory=dict)
    link: tuple[float, float] | None = None  # slope and intercept, where not the default
    features: tuple[float, float] | None = None  # powers, where they are not found

    def __str__(self) -> str:
        parts = [f"{self.n_trees} × {self.tree}" if self.n_trees > 1 else self.tree]
        parts += [f"{name}={value}" for name, value in (self.options | self.solver).items()]
        if self.link:
            parts.append(f"link={self.link}")
        if self.features:
            parts.append(f"feature_powers={self.features}")
        return " ".join(parts)

    def grow(self, X: Any, Y: LabelRows, seed: int) -> LabelTree:
        """Build the tree with a seed of its own."""
        options = dict(self.options)
        if self.tree == "auto":
            return find_builder("auto")(X, Y, seed=seed, n_jobs=1, options=options)
        prices = trees.CostModel(per_row=options.pop("per_row", 0.0))
        if self.tree == "cheapest":
            return trees.cheapest(Y, cost_model=prices, **options)
        if self.tree == "star":
            return trees.star(Y.n_labels)
        if self.tree == "huffman":
            return trees.huffman(Y.counts)
        if self.tree == "blend":
            return trees.blend(X, Y, cost_model=prices, seed=seed, n_jobs=1, **options)
        tree = trees.kmeans(X, Y, seed=seed, n_jobs=1, **options)
        return trees.collapse(tree, Y, cost_model=prices) if prices.per_row else tree


WIDE = {"likeness": 0.75, "per_row": 320}
NARROW = {"min_per_row": 10}
DAMPINGS = (
    (0.0, 0.0),
    (0.08, 0.15),
    (0.1, 0.1),
    (0.15, 0.15),
    (0.15, 0.0),
    (0.0, 0.15),
    (0.0, 0.25),
)
POWERS = ((1.0, 0.0), (0.75, 0.0), (0.55, 0.0), (1.0, 0.1), (1.0, 0.2), (0.75, 0.2), (0.55, 0.1))
BONSAI = {"arity": 100, "max_leaf": 100, "balanced": False}


def choices() -> dict[str, list[Choice]]:
    """Return what is compared, by question."""
    blends = [
        Choice("blend", {"likeness": likeness, "per_row": per_row})
        for likeness, per_row in ((0.25, 0), (0.5, 20), (0.75, 40), (0.75, 160), (0.9, 320))
    ]
    blends += [Choice("blend", WIDE), Choice("blend", WIDE | {"per_row": 640})]
    kmeans = [
        Choice("kmeans", {"arity": 2, "max_leaf": 100}),
        Choice("kmeans", {"arity": 16, "max_leaf": 16}),
        Choice("kmeans", {"arity": 32, "max_leaf": 100, "balanced": False}),
        Choice("kmeans", BONSAI),
        Choice("kmeans", {"arity": 2, "max_leaf": 1, "balanced": False, "per_row": 20}),
    ]
    return {
        "features": [Choice("auto"), *(Choice("auto", features=powers) for powers in POWERS)],
        "widths": [
            *(Choice("auto", NARROW | {"width": width}) for width in (1, 2, 3, 4)),
            Choice("auto", NARROW | {"width": 3}, solver={"max_iterations": 20}),
            *(Choice("auto", {"width": 3, "min_per_row": least}) for least in (40, 80, 160)),
        ],
        "trees": [Choice("huffman"), Choice("cheapest"), Choice("auto"), *blends, *kmeans],
        "losses": [
            *(Choice("auto", solver={"C": c}) for c in (0.3, 0.5, 1.0, 2.0)),
            *(Choice("auto", solver={"loss": "logistic", "C": c}) for c in (3.0, 10.0, 30.0)),
            *(Choice("auto", solver={"prune": p}) for p in (0.02, 0.05, 0.2)),
            *(Choice("auto", solver={"max_iterations": i}) for i in (5, 10, 20)),
        ],
        "damping": [Choice("auto", solver={"damping": powers}) for powers in DAMPINGS],
        "links": [
            Choice("auto", link=(slope, intercept))
            for slope in (2.0, 3.0, 4.0, 5.0)
            for intercept in (0.0, 1.0, 1.5, 2.0)
        ],
        "forests": [
            Choice("auto", n_trees=3),
            Choice("blend", {"likeness": 0.75, "per_row": 40}, n_trees=3),
            Choice("kmeans", {"arity": 16, "max_leaf": 16}, n_trees=3),
            Choice("kmeans", BONSAI, n_trees=3),
            Choice("kmeans", {"arity": 2, "max_leaf": 100}, n_trees=3),
        ],
    }


def split(folder: Path, max_rows: int | None = None) -> tuple[Any, LabelRows, Any, LabelRows]:
    """Return training and validation rows of the training set."""
    X = normalize(read_npz(folder / "X.trn.npz"), copy=False)
    Y = read_npz_labels(folder / "Y.trn.npz")
    order = np.random.default_rng(0).permutation(Y.n_rows)
    n_validation = min(MAX_VALIDATION, Y.n_rows // 5)
    chosen, rest = np.sort(order[:n_validation]), np.sort(order[n_validation:][:max_rows])
    chosen = chosen[np.diff(Y.indptr)[chosen] > 0]
    return as_features(X[rest]), Y.select(rest), as_features(X[chosen]), Y.select(chosen)


class Trained(NamedTuple):
    """A forest and the CPU seconds it took."""

    trees: list[LabelTree]
    layouts: list[Layout]
    build_cpu_s: float
    train_cpu_s: float


class Bench:
    """Training and validation rows, and the last forest that was trained on them."""

    def __init__(self, X: Any, Y: LabelRows, X_val: Any, Y_val: LabelRows) -> None:
        self.given, self.Y, self.given_val, self.Y_val = X, Y, X_val, Y_val
        self._powers: tuple[float, float] | None = (1.0, 0.0)
        self.X, self.X_val = X, X_val  # scaled
        self._last: tuple[dict[str, Any], Trained] | None = None  # with the solver's settings

    def scale(self, powers: tuple[float, float] | None) -> None:
        """Scale all rows by these powers, if the last ones were others."""
        if powers == self._powers:
            return
        scaling = learn_scaling(self.given, self.Y, Powers.checked(powers))
        self.X, self.X_val = scaling(self.given), scaling(self.given_val)
        self._powers, self._last = powers, None

    def train(self, choice: Choice) -> Trained:
        """Train by a choice; choices that make the same forest share it."""
        start = time.process_time()
        grown = [choice.grow(self.X, self.Y, seed) for seed in range(choice.n_trees)]
        built = time.process_time()
        if self._last is None or (self._last[0], self._last[1].trees) != (choice.solver, grown):
            settings = SolverSettings(**choice.solver)
            layouts = [train_tree(tree, self.X, self.Y, settings) for tree in grown]
            took = (built - start, time.process_time() - built)
            self._last = choice.solver, Trained(grown, layouts, *took)
        return self._last[1]

    def model(self, choice: Choice, trained: Trained) -> Model:
        """Return the model with the link of a choice."""
        loss = SolverSettings(**choice.solver).loss
        default = model_module.LINKS[loss]
        model_module.LINKS[loss] = choice.link or default
        has_root = self.Y.n_labeled < self.Y.n_rows
        model = Model(trained.trees, trained.layouts, loss, self.X.shape[1], has_root)
        model_module.LINKS[loss] = default
        return model

    def measure(self, choice: Choice) -> dict[str, Any]:
        """Train by a choice and judge it on the validation rows."""
        self.scale(choice.features)
        trained = self.train(choice)
        model = self.model(choice, trained)
        found, calls = model.search(self.X_val, top_k=5, threshold=0.0, n_threads=1)
        ranked = found.indices.reshape(-1, min(5, self.Y.n_labels))
        propensities = metrics.propensities(self.Y)
        pairs = sum(cost.training_cost(tree, self.Y) for tree in trained.trees)
        return {
            "choice": str(choice),
            "cost_per_row": round(pairs / self.Y.n_rows, 1),
            "build_cpu_s": round(trained.build_cpu_s, 2),
            "train_cpu_s": round(trained.train_cpu_s, 2),
            "weights": model.n_weights,
            "calls_per_row": round(float(calls.mean()), 1),
            **{
                f"{name}@{k}": round(100 * score, 2)
                for k in (1, 3, 5)
                for name, score in (
                    ("P", metrics.precision_at_k(self.Y_val, ranked, k)),
                    ("PSP", metrics.psp_at_k(self.Y_val, ranked, k, propensities)),
                )
            },
        }


def study(
    folder: Path, questions: list[str], max_rows: int | None = None
) -> Iterator[dict[str, Any]]:
    """Yield the figures of every choice on one data set."""
    bench = Bench(*split(folder, max_rows))
    for question in questions:
        for choice in choices()[question]:
            common = {"data": folder.name, "rows": bench.Y.n_rows, "question": question}
            figures = common | bench.measure(choice)
            print(json.dumps(figures, ensure_ascii=False), flush=True)
            yield figures


def main() -> None:
    """Study the folders on the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.study", description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--only", default=",".join(choices()), help="which questions, with commas")
    parser.add_argument("--max-rows", type=int, help="training rows to take at most")
    parser.add_argument("--output", type=Path, help="JSON file to write")
    options = parser.parse_args()
    questions = options.only.split(",")
    figures = [
        row for folder in options.folders for row in study(folder, questions, options.max_rows)
    ]
    if options.output:
        options.output.parent.mkdir(parents=True, exist_ok=True)
        results = {"machine": machine(), "results": figures}
        options.output.write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
