"""`labeltree explain`: how much each word contributes to the probability of a label."""

from __future__ import annotations

import argparse
import json
import sys

from labeltree import TextTagger
from labeltree.cli.inputs import UsageError
from labeltree.cli.models import add_encoder_argument, open_model

SUMMARY = "explain the probability of a label for a text, word by word"
EXAMPLES = """\
  labeltree explain model.lt 'eigenvalues of a sparse matrix'
  labeltree explain model.lt 'sort an array' --label numpy --plot why.png
  labeltree explain model.lt - --json < text.txt
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("model", help="model file trained on texts")
    parser.add_argument("text", help="text to explain; - for standard input")
    parser.add_argument("--label", help="label to explain (default: the most probable)")
    parser.add_argument(
        "--top-features", type=int, default=5, help="words per node (default: %(default)s)"
    )
    add_encoder_argument(parser)
    parser.add_argument("--json", action="store_true", help="print the explanation as JSON")
    parser.add_argument("--plot", metavar="FILE", help="save a plot to this file")


def run(arguments: argparse.Namespace) -> int:
    """Print the explanation, and save the plot if requested."""
    model = open_model(arguments.model, arguments.encoder)
    if not isinstance(model, TextTagger):
        raise UsageError(
            "the command explains models of texts, but this one has numeric features; "
            "use PLTClassifier.explain in Python"
        )
    if arguments.label is not None and arguments.label not in model.classes_.tolist():
        raise ValueError(
            f"--label must be one of the {len(model.classes_):,} labels of the model, "
            f"but is {arguments.label!r}"
        )
    text = sys.stdin.read() if arguments.text == "-" else arguments.text
    why = model.explain(text, arguments.label, arguments.top_features)
    if arguments.plot is not None:
        from labeltree import plot

        plot.explanation(why).savefig(arguments.plot)
    print(json.dumps(why.to_dict(), indent=2, ensure_ascii=False) if arguments.json else why)
    return 0
