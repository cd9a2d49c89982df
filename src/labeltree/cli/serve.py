"""`labeltree serve`: answers over HTTP, and a page."""

from __future__ import annotations

import argparse
from dataclasses import Field, fields
from functools import partial
from typing import Any

from labeltree import serve
from labeltree.serve.settings import PREFIX, TOKEN, Settings, parse_setting

SUMMARY = "answer over HTTP, with a page for people"
EXAMPLES = f"""\
  labeltree serve model.lt
  labeltree serve model.lt --workers 4 --feedback feedback.jsonl
  labeltree serve subjects.lt news=models/news.lt --host 0.0.0.0 --token-file token.txt
  curl localhost:8000/v1/tag -H 'Content-Type: application/json' -d '{{"text": "green tea"}}'

Each option can also be set in the environment, for example {PREFIX}MAX_BODY=2MB. The
token can be set by {TOKEN}. Without a token, only this machine can reach the
server, and feedback needs the token in the address that the command prints. A model file that is
replaced is loaded without a pause. Needs pip install "labeltree[serve]".
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument(
        "models", nargs="+", metavar="MODEL", help="model file, as FILE or NAME=FILE"
    )
    parser.add_argument(
        "--open", action="store_true", help="open the page in the browser of this machine"
    )
    parser.add_argument(
        "--json", action="store_true", help="print address and token as a JSON object"
    )
    for one in fields(Settings):
        _add_setting(parser, one)


def _add_setting(parser: argparse.ArgumentParser, one: Field[Any]) -> None:
    name, text = "--" + one.name.replace("_", "-"), one.metadata["help"]
    if isinstance(one.default, bool):
        off = "--no-" + one.name.replace("_", "-")
        parser.add_argument(
            off, dest=one.name, action="store_false", default=None, help=f"do not {text}"
        )
        return
    shown = ",".join(one.default) if isinstance(one.default, tuple) else one.default
    default = f" (default: {shown})" if shown not in ("", None) else ""
    parser.add_argument(name, type=partial(_parse, one), metavar=_metavar(one), help=text + default)


def _parse(one: Field[Any], text: str) -> Any:
    try:
        return parse_setting(one, text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _metavar(one: Field[Any]) -> str:
    if one.name.endswith(("file", "feedback")):
        return "FILE"
    if one.name.endswith("seconds"):
        return "SECONDS"
    return {"bytes": "BYTES"}.get(one.metadata["unit"], "N" if one.default else "TEXT")


def run(arguments: argparse.Namespace) -> int:
    """Serve until a signal."""
    given = {one.name: getattr(arguments, one.name) for one in fields(Settings)}
    return serve.serve(arguments.models, open_page=arguments.open, as_json=arguments.json, **given)
