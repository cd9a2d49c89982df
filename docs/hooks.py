"""What the site says that is not written by hand: the help of commands, and where names are made.

Pages of the reference have a line ``::: labeltree.trees.star`` for each public name, and
``<!-- help: train -->`` for each command.
"""

from __future__ import annotations

import argparse
import importlib
import re
from typing import Any

from labeltree import cli

_HELP = re.compile(r"<!-- help: (\w+) -->")
_NAME = re.compile(r"^::: (labeltree\.[\w.]+)$", re.MULTILINE)


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Fill in the marks of a page."""
    markdown = _HELP.sub(lambda mark: f"```text\n{help_of(mark[1])}```", markdown)
    return _NAME.sub(lambda mark: _documented(mark[1]), markdown)


def help_of(command: str) -> str:
    """Return what ``labeltree COMMAND --help`` prints."""
    actions = cli._parser()._actions
    commands = next(a for a in actions if isinstance(a, argparse._SubParsersAction))
    parser: argparse.ArgumentParser = commands.choices[command]
    return parser.format_help()


def _documented(name: str) -> str:
    """Return what mkdocstrings is asked for: a function star hides its module star otherwise."""
    made = public_object(name)
    short = name.rpartition(".")[2]
    return (
        f"::: {made.__module__}.{made.__qualname__}\n    options:\n"
        f"      heading: {name}\n      toc_label: {short}"
    )


def public_object(name: str) -> Any:
    """Return what a public name stands for."""
    module, _, short = name.rpartition(".")
    return getattr(importlib.import_module(module), short)
