"""`labeltree push`: a model and its card on the Hugging Face hub."""

from __future__ import annotations

import argparse
from typing import Any

from labeltree import hub, load
from labeltree.cli.inputs import UsageError
from labeltree.cli.options import add_json_argument, print_json
from labeltree.data.files import read_whole
from labeltree.data.json_text import parsed_json

SUMMARY = "upload a model and a generated model card to the Hugging Face hub"
EXAMPLES = """\
  labeltree train docs.jsonl -o model.lt --json > report.json
  labeltree push model.lt me/tags --report report.json
  labeltree push model.lt me/tags --report report.json --dry-run
  labeltree predict hf://me/tags texts.txt

The command needs pip install "labeltree[hub]" and a login: hf auth login, or the variable HF_TOKEN.
--dry-run prints the model card and uploads nothing.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("model", help="model file written by labeltree train")
    parser.add_argument("repo", help="repository: owner/name, or owner/name/file")
    parser.add_argument(
        "--report", metavar="FILE", help="output of labeltree train or evaluate with --json"
    )
    parser.add_argument("--license", help="license of the model, such as mit")
    parser.add_argument("--private", action="store_true", help="create a private repository")
    parser.add_argument("--revision", help="branch to upload to (default: main)")
    parser.add_argument("--dry-run", action="store_true", help="print the model card only")
    add_json_argument(parser)


def run(arguments: argparse.Namespace) -> int:
    """Upload the model, or print its card."""
    report = None if arguments.report is None else _report(arguments.report)
    if arguments.dry_run:
        card = hub.model_card(
            load(arguments.model), arguments.repo, report=report, license=arguments.license
        )
        print(card, end="")
        return 0
    address = hub.push(
        arguments.model,
        arguments.repo,
        report=report,
        license=arguments.license,
        private=True if arguments.private else None,
        revision=arguments.revision,
    )
    if arguments.json:
        print_json({"address": address})
    elif not arguments.quiet:
        print(address)
    return 0


def _report(path: str) -> dict[str, Any]:
    try:
        found = parsed_json(read_whole(path).decode())
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    if not isinstance(found, dict):
        raise UsageError(f"{path}: a report must be a JSON object; write it with --json")
    return found
