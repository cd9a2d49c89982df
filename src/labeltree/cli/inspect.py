"""`labeltree inspect`: the contents of a model file."""

from __future__ import annotations

import argparse

from labeltree.cli.options import add_json_argument, print_json
from labeltree.estimators.summary import summarize

SUMMARY = "show the contents of a model file"
EXAMPLES = """\
  labeltree inspect model.lt
  labeltree inspect model.lt --verify
  labeltree inspect model.lt --json | jq .trees

The exit code is 1 if the file is not a model, is damaged, or is from a later release. Nothing in
the file is executed.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("model", help="model file")
    parser.add_argument(
        "--verify", action="store_true", help="also verify checksums and every weight"
    )
    add_json_argument(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print the summary."""
    summary = summarize(arguments.model, verify=arguments.verify)
    if arguments.json:
        print_json(summary.to_dict())
    else:
        print(summary)
    return 0
