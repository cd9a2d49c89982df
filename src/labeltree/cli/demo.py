"""`labeltree demo`: a tagger trained on the docstrings of the installed packages."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from labeltree import PLTClassifier, TextTagger, trees
from labeltree.cli.inputs import Data, Texts
from labeltree.cli.models import Evaluation
from labeltree.cli.options import add_json_argument, print_json
from labeltree.cli.plots import cost_bars, save_plots, tree_plots
from labeltree.cli.train import HOLDOUT, aligned, figures, hold_out, report, train_model
from labeltree.data import LabelRows, as_labels
from labeltree.planning.plans import Plan, plan
from labeltree.progress import of_stage, show_progress, show_stage
from labeltree.serve import serve

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Parts: TypeAlias = "tuple[Data | Texts, Data | Texts | None, Data | Texts | None]"

SUMMARY = "train a tagger on the docstrings of your installed packages and compare tree costs"
EXAMPLES = """\
  labeltree demo
  labeltree demo --output results
  labeltree demo --serve
"""
_DEFAULT_OUTPUT = "labeltree-demo"
_QUERIES = (
    "eigenvalues of a sparse matrix",
    "random forest for regression",
    "write a calendar of the month as html",
)
_TRAINED = ("cheapest", "huffman")  # in addition to the default, for the plot
_TREES = ("complete", "huffman", "shannon", "cheapest", "cheapest+sweeps")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument(
        "--output",
        metavar="DIR",
        default=_DEFAULT_OUTPUT,
        help="output folder (default: %(default)s)",
    )
    parser.add_argument(
        "--packages", metavar="NAME,...", help="packages to read docstrings from (default: all)"
    )
    parser.add_argument(
        "--serve", action="store_true", help="then open the tagger in a page, until Ctrl-C"
    )
    add_json_argument(parser)


def run(arguments: argparse.Namespace) -> int:
    """Compare trees, train a tagger, predict, and save the results and plots."""
    # No other command needs the docstrings.
    from labeltree.datasets import python_docs

    _print(arguments, "Reading the docstrings of the installed Python packages ...")
    with show_stage("reading", quiet=arguments.quiet):
        data = python_docs(packages=arguments.packages.split(",") if arguments.packages else None)
    rows = as_labels(data.tags)
    per_text = len(rows.indices) / rows.n_rows
    _print(
        arguments,
        f"{rows.n_rows:,} texts, tagged by package and module: {rows.n_labels:,} tags, such as "
        f"{rows.name(int(rows.counts.argmax()))}; {per_text:.1f} per text.\n",
    )
    with show_progress(quiet=arguments.quiet, lines=True) as progress:
        made = plan(
            None,
            rows,
            trees=_TREES,
            compare_trees={"one-vs-rest": trees.star(rows.n_labels)},
            progress=of_stage("building trees", progress),
        )
    _print(arguments, made.table(), is_result=True)
    best, most_expensive = made.best.report, made.rows[-1].report
    _print(
        arguments,
        f"\nEach text trains {best.cost_per_row:.1f} of the {best.n_nodes:,} nodes of the cheapest "
        f"tree on average. With one\nclassifier per tag it would train "
        f"{most_expensive.cost_per_row:,.0f}. No tree is below "
        f"{best.lower_bound / best.n_rows:.1f}, so an optimal tree saves\nat most another "
        f"{1 - 1 / best.ratio:.0%}.",
    )
    parts = hold_out(Texts(data.texts, data.tags), HOLDOUT, seed=0)
    tagger, found = _train(arguments, parts)
    written = _save(arguments, made, rows, tagger, parts)
    if arguments.json:
        names = [str(path) for path in written]
        print_json({"plan": made.to_dict(), "model": found, "written": names})
    if arguments.serve:
        return serve(
            [str(written[1])], open_page=True, feedback=f"{arguments.output}/feedback.jsonl"
        )
    return 130 if made.stopped else 0


def _train(arguments: argparse.Namespace, parts: Parts) -> tuple[TextTagger, dict[str, Any]]:
    """Train a tagger, print and return its figures, and predict tags for a few queries."""
    training, calibration, evaluation = parts
    _print(arguments, "\nTraining a tagger, with a tenth of the texts held out ...")
    tagger = train_model({}, training, calibration, quiet=arguments.quiet)
    assert isinstance(tagger, TextTagger)
    with show_stage("evaluating", quiet=arguments.quiet):
        found = figures(tagger, training, evaluation)
    _print(arguments, aligned(report(found)), is_result=True)
    found["predictions"] = dict(zip(_QUERIES, tagger.tag(_QUERIES, k=3), strict=True))
    for query, tags in found["predictions"].items():
        lines = [f"    {probability:.3f}  {tag}" for tag, probability in tags]
        _print(arguments, "\n".join([f"\n{query}", *lines]), is_result=True)
    _print(arguments, f"\nExplanation of the first tag for {_QUERIES[0]!r}:\n")
    _print(arguments, str(tagger.explain(_QUERIES[0], top_features=3)), is_result=True)
    return tagger, found


def _accuracies(tagger: TextTagger, parts: Parts) -> dict[str, tuple[float, float]]:
    """Return cost per row and P@1 of several trees over the same features."""
    training, _, held_out = parts
    assert isinstance(training, Texts)
    assert held_out is not None
    X = tagger.features_.transform(training.texts)
    classifiers = {tagger.classifier.tree: tagger.classifier_}
    for name in _TRAINED:
        classifiers[name] = PLTClassifier(tree=name).fit(X, training.tags)
    evaluation = Evaluation.of(tagger, held_out)
    points = {}
    for name, classifier in classifiers.items():
        precision = replace(evaluation, classifier=classifier).figures()["P@1"]
        points[name] = (classifier.training_cost_ / training.n_rows, precision)
    return points


def _model_plots(tagger: TextTagger, parts: Parts) -> dict[str, Callable[[], Figure]]:
    """Return the plots of the predictions, if rows were held out."""
    from labeltree import plot

    held_out = parts[2]
    if held_out is None:
        return {}
    evaluation = Evaluation.of(tagger, held_out)
    return {
        "reliability": lambda: plot.reliability(evaluation.truth, *evaluation.top),
        "accuracy-against-cost": lambda: plot.accuracy_against_cost(_accuracies(tagger, parts)),
    }


def _save(
    arguments: argparse.Namespace,
    made: Plan,
    rows: LabelRows,
    tagger: TextTagger,
    parts: Parts,
) -> list[Path]:
    folder = Path(arguments.output)
    folder.mkdir(parents=True, exist_ok=True)
    made.best.tree.save(folder / "tree.json")
    tagger.save(folder / "model.lt")
    written = [folder / "tree.json", folder / "model.lt"]
    best = made.best.report
    costs = {row.name: row.report.cost_per_row for row in made.rows}
    try:
        plots = cost_bars(costs, best.lower_bound / best.n_rows)
        plots |= tree_plots(made.best.tree, rows) | _model_plots(tagger, parts)
        with show_stage("drawing plots", quiet=arguments.quiet):
            written += save_plots(arguments.output, plots)
    except ModuleNotFoundError as error:
        _print(arguments, f"\nNo plots were saved: {error}")
    _print(arguments, f"\nWritten to {folder}: " + ", ".join(path.name for path in written))
    _print(arguments, f"To predict tags for other texts: labeltree predict {folder / 'model.lt'}")
    return written


def _print(arguments: argparse.Namespace, text: str, *, is_result: bool = False) -> None:
    if not arguments.json and (is_result or not arguments.quiet):
        print(text, flush=True)
