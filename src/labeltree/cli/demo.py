"""`labeltree demo`: tags for questions in words, learnt from the docstrings on this machine."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from labeltree import PLTClassifier, TextTagger, trees
from labeltree.cli.inputs import Data, Texts
from labeltree.cli.models import Judged
from labeltree.cli.pictures import cost_bars, save_pictures, tree_pictures
from labeltree.cli.train import HOLDOUT, hold_out, laid_out, report, train_model
from labeltree.data import LabelRows, as_labels
from labeltree.planning.plans import Plan, plan
from labeltree.progress import show_progress

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Parts: TypeAlias = "tuple[Data | Texts, Data | Texts | None, Data | Texts | None]"

SUMMARY = "learn tags from the docstrings on this machine, answer questions, show what trees cost"
EXAMPLES = """\
  labeltree demo
  labeltree demo --output pictures
"""
_DEFAULT_OUTPUT = "labeltree-demo"
_QUESTIONS = (
    "eigenvalues of a sparse matrix",
    "random forest for regression",
    "write a calendar of the month as html",
)
_TRAINED = ("cheapest", "huffman")  # beside the default, for the picture
_TREES = ("complete", "huffman", "shannon", "cheapest", "cheapest+sweeps")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument(
        "--output", metavar="DIR", default=_DEFAULT_OUTPUT, help="where files go (%(default)s)"
    )
    parser.add_argument(
        "--packages", metavar="NAME,...", help="only the docstrings of these packages"
    )


def run(arguments: argparse.Namespace) -> int:
    """Show the trees, train a tagger, ask it, and write all with pictures."""
    # Reading docstrings is not what other commands are for.
    from labeltree.datasets import python_docs

    _say(arguments, "Reading the docstrings of the Python packages on this machine ...")
    data = python_docs(packages=arguments.packages.split(",") if arguments.packages else None)
    rows = as_labels(data.tags)
    _say(
        arguments,
        f"{rows.n_rows:,} texts, tagged by where they live: {rows.n_labels:,} tags such as "
        f"{rows.name(int(rows.counts.argmax()))}, {len(rows.indices) / rows.n_rows:.1f} a text.\n",
    )
    with show_progress(quiet=arguments.quiet) as progress:
        made = plan(
            None,
            rows,
            trees=_TREES,
            compare_trees={"one-vs-rest": trees.star(rows.n_labels)},
            progress=progress,
        )
    print(made.table())
    best, dearest = made.best.report, made.rows[-1].report
    _say(
        arguments,
        f"\nA text trains {best.cost_per_row:.1f} of the {best.n_nodes:,} nodes of the cheapest "
        f"tree. With one classifier a tag it would\ntrain "
        f"{dearest.cost_per_row:,.0f}. No tree of any shape gets below "
        f"{best.lower_bound / best.n_rows:.1f}, so the best there is saves at most another "
        f"{1 - 1 / best.ratio:.0%}.",
    )
    parts = hold_out(Texts(data.texts, data.tags), HOLDOUT, seed=0)
    tagger = _train(arguments, parts)
    return _save(arguments, made, rows, tagger, parts)


def _train(arguments: argparse.Namespace, parts: Parts) -> TextTagger:
    """Train a tagger, print how good it is, and let it answer."""
    training, calibrating, judging = parts
    _say(arguments, "\nTraining a tagger, with a tenth of the texts held out ...")
    tagger = train_model({}, training, calibrating, tell=not arguments.quiet)
    assert isinstance(tagger, TextTagger)
    print(laid_out(report(tagger, training, judging)))
    for question, tags in zip(_QUESTIONS, tagger.tag(_QUESTIONS, k=3), strict=True):
        print(f"\n{question}")
        print(*(f"    {probability:.3f}  {tag}" for tag, probability in tags), sep="\n")
    _say(arguments, f"\nWhy the first answer to {_QUESTIONS[0]!r}?\n")
    print(tagger.explain(_QUESTIONS[0], top_features=3))
    return tagger


def _accuracies(tagger: TextTagger, parts: Parts) -> dict[str, tuple[float, float]]:
    """Return cost per row and P@1 of other trees over the same words."""
    training, _, judging = parts
    assert isinstance(training, Texts)
    assert judging is not None
    X = tagger.features_.transform(training.texts)
    classifiers = {tagger.classifier.tree: tagger.classifier_}
    for name in _TRAINED:
        classifiers[name] = PLTClassifier(tree=name).fit(X, training.tags)
    judged = Judged.of(tagger, judging)
    points = {}
    for name, classifier in classifiers.items():
        precision = replace(judged, classifier=classifier).figures()["P@1"]
        points[name] = (classifier.training_cost_ / training.n_rows, precision)
    return points


def _model_pictures(tagger: TextTagger, parts: Parts) -> dict[str, Callable[[], Figure]]:
    """Return the pictures of what the tagger answers, if rows were held out."""
    from labeltree import plot

    judging = parts[2]
    if judging is None:
        return {}
    judged = Judged.of(tagger, judging)
    return {
        "reliability": lambda: plot.reliability(judged.truth, *judged.top),
        "accuracy-against-cost": lambda: plot.accuracy_against_cost(_accuracies(tagger, parts)),
    }


def _save(
    arguments: argparse.Namespace,
    made: Plan,
    rows: LabelRows,
    tagger: TextTagger,
    parts: Parts,
) -> int:
    folder = Path(arguments.output)
    folder.mkdir(parents=True, exist_ok=True)
    made.best.tree.save(folder / "tree.json")
    tagger.save(folder / "model.lt")
    written = [folder / "tree.json", folder / "model.lt"]
    best = made.best.report
    costs = {row.name: row.report.cost_per_row for row in made.rows}
    try:
        pictures = cost_bars(costs, best.lower_bound / best.n_rows)
        pictures |= tree_pictures(made.best.tree, rows) | _model_pictures(tagger, parts)
        written += save_pictures(arguments.output, pictures)
    except ModuleNotFoundError as error:
        _say(arguments, f"\nThere are no pictures: {error}")
    _say(arguments, f"\nWritten to {folder}: " + ", ".join(path.name for path in written))
    _say(arguments, f"Ask more: labeltree predict {folder / 'model.lt'}")
    return 130 if made.stopped else 0


def _say(arguments: argparse.Namespace, text: str) -> None:
    if not arguments.quiet:
        print(text, flush=True)
