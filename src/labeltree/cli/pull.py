"""`labeltree pull`: a model file from the Hugging Face hub."""

from __future__ import annotations

import argparse

from labeltree import hub
from labeltree.cli.models import check_model_file
from labeltree.cli.options import add_json_argument, print_json
from labeltree.storage.hub_files import MODEL_FILE

SUMMARY = "download a model file from the Hugging Face hub"
EXAMPLES = """\
  labeltree pull me/tags -o model.lt
  labeltree pull hf://me/tags/small.lt@v1 -o small.lt

The command needs pip install "labeltree[hub]". The file is checked before it is written.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("repo", help="owner/name or hf://owner/name[/file][@revision]")
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        default=MODEL_FILE,
        help="output file (default: %(default)s)",
    )
    add_json_argument(parser)


def run(arguments: argparse.Namespace) -> int:
    """Download, check and write the file."""
    check_model_file(arguments.output)
    path = hub.pull(arguments.repo, arguments.output)
    if arguments.json:
        print_json({"written": str(path), "n_bytes": path.stat().st_size})
    elif not arguments.quiet:
        print(f"written to {path}")
    return 0
