"""Fill in the generated parts of the site: the help of commands and the public names.

Reference pages have one line ``::: labeltree.trees.star`` per public name and one line
``<!-- help: train -->`` per command.
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
    """Replace the markers of a page by the generated text."""
    markdown = _HELP.sub(lambda mark: f"```text\n{help_of(mark[1])}```", markdown)
    return _NAME.sub(lambda mark: _documented(mark[1]), markdown)


def help_of(command: str) -> str:
    """Return what ``labeltree COMMAND --help`` prints."""
    actions = cli.make_parser()._actions
    commands = next(a for a in actions if isinstance(a, argparse._SubParsersAction))
    parser: argparse.ArgumentParser = commands.choices[command]
    return parser.format_help()


def _documented(name: str) -> str:
    """Return the mkdocstrings block of a name, by its module: trees.star is a module, too."""
    made = public_object(name)
    short = name.rpartition(".")[2]
    return (
        f"::: {made.__module__}.{made.__qualname__}\n    options:\n"
        f"      heading: {name}\n      toc_label: {short}"
    )


def public_object(name: str) -> Any:
    """Return the object of a public name."""
    module, _, short = name.rpartition(".")
    return getattr(importlib.import_module(module), short)
