"""`labeltree inspect`: what is in a model file."""

from __future__ import annotations

import argparse
import json

from labeltree.estimators.summary import summarize

SUMMARY = "print what is in a model file"
EXAMPLES = """\
  labeltree inspect model.lt
  labeltree inspect model.lt --verify
  labeltree inspect model.lt --json | jq .trees

exit code 1 if the file is no model, damaged, or of a later release; nothing in it is executed
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("model", help="a file that save wrote")
    parser.add_argument(
        "--verify", action="store_true", help="compare checksums and look at every weight, too"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: argparse.Namespace) -> int:
    """Print the summary."""
    summary = summarize(arguments.model, verify=arguments.verify)
    if arguments.json:
        print(json.dumps(summary.to_dict(), indent=2, ensure_ascii=False))
    else:
        print(summary)
    return 0
