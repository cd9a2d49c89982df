"""`labeltree explain`: which words made a label probable."""

from __future__ import annotations

import argparse
import json
import sys

from labeltree import TextTagger, load
from labeltree.cli.inputs import UsageError

SUMMARY = "tell why a text gets a label, word by word"
EXAMPLES = """\
  labeltree explain model.lt 'eigenvalues of a sparse matrix'
  labeltree explain model.lt 'sort an array' --label numpy --plot why.png
  labeltree explain model.lt - --json < text.txt
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("model", help="a file that labeltree train wrote from texts")
    parser.add_argument("text", help="the text itself; - reads it from standard input")
    parser.add_argument("--label", help="the most probable one by default")
    parser.add_argument(
        "--top-features", type=int, default=5, help="words of each node (%(default)s)"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--plot", metavar="FILE", help="save a picture here")


def run(arguments: argparse.Namespace) -> int:
    """Print the explanation, and save the picture if asked for."""
    model = load(arguments.model)
    if not isinstance(model, TextTagger):
        raise UsageError("the model was trained on rows of numbers; explain(x) in Python tells why")
    text = sys.stdin.read() if arguments.text == "-" else arguments.text
    why = model.explain(text, arguments.label, arguments.top_features)
    if arguments.plot is not None:
        from labeltree import plot

        plot.explanation(why).savefig(arguments.plot)
    print(json.dumps(why.to_dict(), indent=2, ensure_ascii=False) if arguments.json else why)
    return 0
