"""Fill in the generated parts of the site: the help of commands and the public names.

Reference pages have one line ``::: labeltree.trees.star`` per public name, below the headings that
group them. A name with a heading of its own, such as ``### star {#labeltree.trees.star}``, gets no
second one. There are these markers::

    <!-- overview -->                               table of the names of the page, by group
    <!-- attributes: labeltree.PLTClassifier -->    table of the properties of a class
    <!-- commands -->                               table of the commands
    <!-- help: train -->                            help of a command
"""

from __future__ import annotations

import argparse
import ast
import importlib
import inspect
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import labeltree
from labeltree import cli

_HELP = re.compile(r"<!-- help: (\w+) -->")
_ATTRIBUTES = re.compile(r"<!-- attributes: (labeltree\.[\w.]+) -->")
_OVERVIEW, _COMMANDS = "<!-- overview -->", "<!-- commands -->"
_NAME = re.compile(r"::: (labeltree\.[\w.]+)")
_HEADING = re.compile(r"(#+) (.+)")
_TABLE = ('<div class="overview" markdown>', "", "| name | description |", "| --- | --- |")
_OWN_TITLE = re.compile(r"^#+ .* \{#(labeltree\.[\w.]+)\}$", re.MULTILINE)
_FENCE = re.compile(r"```.*?```", re.DOTALL)


def on_config(config: Any, **_: Any) -> Any:
    """Show the menu of versions only in a site that ``mike`` builds; elsewhere there are none."""
    if "MIKE_DOCS_VERSION" not in os.environ:
        config.extra.pop("version", None)
    return config


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Replace the markers of a page by the generated text."""
    markdown = _HELP.sub(lambda mark: f"```text\n{help_of(mark[1])}```", markdown)
    if _COMMANDS in markdown:
        markdown = markdown.replace(_COMMANDS, _commands_table())
    markdown = _ATTRIBUTES.sub(lambda mark: _attributes(mark[1]), markdown)
    if _OVERVIEW in markdown:
        markdown = markdown.replace(_OVERVIEW, _overview(markdown))
    return "\n".join(_with_names(markdown))


def help_of(command: str) -> str:
    """Return what ``labeltree COMMAND --help`` prints."""
    parser: argparse.ArgumentParser = _commands().choices[command]
    return parser.format_help()


def _commands() -> argparse._SubParsersAction[argparse.ArgumentParser]:
    actions = cli.make_parser()._actions
    return next(a for a in actions if isinstance(a, argparse._SubParsersAction))


def _commands_table() -> str:
    """Return a table of the commands, each with a link to its help on the page."""
    rows = [
        f"| [`{choice.dest}`](#labeltree-{choice.dest}) | {choice.help} |"
        for choice in _commands()._choices_actions
    ]
    return "\n".join([*_TABLE, *rows, "", "</div>"])


def _with_names(markdown: str) -> Iterator[str]:
    """Yield the lines of a page with each name documented, one level below its heading."""
    level = 1
    listed, titled = set(_NAME.findall(markdown)), set(_OWN_TITLE.findall(markdown))
    is_code = False
    for line in markdown.split("\n"):
        is_code ^= line.startswith("```")
        if heading := None if is_code else _HEADING.fullmatch(line):
            level = len(heading[1])
        name = _NAME.fullmatch(line)
        yield _documented(name[1], level + 1, listed, titled) if name else line


def _documented(name: str, level: int, listed: set[str], titled: set[str]) -> str:
    """Return the mkdocstrings block of a name, without a heading if the page has its own.

    If a package that the name needs is missing, its docstring is read from the source.
    """
    short = name.rpartition(".")[2]
    try:
        public_object(name)
    except ImportError:
        title = f"{'#' * level} {short} {{#{name}}}"
        return f"{title}\n\n```text\n{_source_docstring(name)}\n```"
    options: dict[str, object] = {"heading": short, "toc_label": short, "heading_level": level}
    if any(other.startswith(f"{name}.") for other in listed):
        options["members"] = "false"
    if name in titled:
        options |= {"show_root_heading": "false", "show_root_toc_entry": "false"}
    lines = [f"      {option}: {value}" for option, value in options.items()]
    return "\n".join([f"::: {name}", "    options:", *lines])


def _overview(markdown: str) -> str:
    """Return a table of the names of a page, with a row for each heading that groups them."""
    rows, group = [], ""
    for line in _FENCE.sub("", markdown).split("\n"):
        if (heading := _HEADING.fullmatch(line)) and not _OWN_TITLE.fullmatch(line):
            group = heading[2]
        elif name := _NAME.fullmatch(line):
            rows += [f"| **{group}** | |"] if group else []
            short = name[1].rpartition(".")[2]
            rows.append(f"| [`{short}`](#{name[1]}) | {_cell(_docstring(name[1]))} |")
            group = ""
    return "\n".join([*_TABLE, *rows, "", "</div>"])


def _attributes(name: str) -> str:
    """Return a table of the properties of a class."""
    found = inspect.getmembers(public_object(name), lambda made: isinstance(made, property))
    rows = [
        f"| `{short}` | {_cell(inspect.getdoc(made) or '')} |"
        for short, made in found
        if not short.startswith("_")
    ]
    return "\n".join([*_TABLE, *rows, "", "</div>"])


def _cell(docstring: str) -> str:
    """Return the first paragraph of a docstring as a cell of a table."""
    return " ".join(docstring.split("\n\n")[0].split()).replace("|", r"\|")


def _docstring(name: str) -> str:
    try:
        return inspect.getdoc(public_object(name)) or ""
    except ImportError:
        return _source_docstring(name)


def _source_docstring(name: str) -> str:
    """Return the docstring of a name without an import of its module."""
    module, _, short = name.rpartition(".")
    for node in _parsed(_source_of(module, short)).body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef) and node.name == short:
            return ast.get_docstring(node) or ""
    raise ValueError(f"{module} must define {short}, but does not")


def _source_of(module: str, name: str) -> str:
    """Return the module that a package imports a name from."""
    for node in ast.walk(_parsed(module)):
        if isinstance(node, ast.ImportFrom) and name in {alias.name for alias in node.names}:
            return str(node.module)
    raise ValueError(f"{module} must import {name}, but does not")


def _parsed(module: str) -> ast.Module:
    """Return the source of a module of labeltree, which is not imported."""
    path = Path(labeltree.__file__).parent.joinpath(*module.split(".")[1:])
    file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    return ast.parse(file.read_text())


def public_object(name: str) -> Any:
    """Return the object of a public name, which may be a method of a class."""
    module, _, short = name.rpartition(".")
    if module.rpartition(".")[2][:1].isupper():
        return getattr(public_object(module), short)
    return getattr(importlib.import_module(module), short)
