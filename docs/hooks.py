"""Fill in the generated parts of the site: the help of commands and the public names.

Reference pages have one line ``::: labeltree.trees.star`` per public name and one line
``<!-- help: train -->`` per command.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import re
from pathlib import Path
from typing import Any

import labeltree
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
    """Return the mkdocstrings block of a name, by its module: trees.star is a module, too.

    If a package that the name needs is missing, its docstring is read from the source.
    """
    module, _, short = name.rpartition(".")
    try:
        made = public_object(name)
    except ImportError:
        return f"## {name}\n\n```text\n{_docstring(_source_of(module, short), short)}\n```"
    return (
        f"::: {made.__module__}.{made.__qualname__}\n    options:\n"
        f"      heading: {name}\n      toc_label: {short}"
    )


def _source_of(module: str, name: str) -> str:
    """Return the module that a package imports a name from."""
    for node in ast.walk(_parsed(module)):
        if isinstance(node, ast.ImportFrom) and name in {alias.name for alias in node.names}:
            return str(node.module)
    raise ValueError(f"{module} must import {name}, but does not")


def _docstring(module: str, name: str) -> str:
    for node in _parsed(module).body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef) and node.name == name:
            return ast.get_docstring(node) or ""
    raise ValueError(f"{module} must define {name}, but does not")


def _parsed(module: str) -> ast.Module:
    """Return the source of a module of labeltree, which is not imported."""
    path = Path(labeltree.__file__).parent.joinpath(*module.split(".")[1:])
    file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    return ast.parse(file.read_text())


def public_object(name: str) -> Any:
    """Return the object of a public name."""
    module, _, short = name.rpartition(".")
    return getattr(importlib.import_module(module), short)
