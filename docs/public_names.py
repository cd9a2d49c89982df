"""Write all public names into docs/reference/public-api.md: python docs/public_names.py

`labeltree.torch` is listed in docs/reference/torch.md instead: its import needs torch.
A test compares the page with what this script finds, so that no public name changes unnoticed.
"""

from __future__ import annotations

import argparse
import dataclasses
import importlib
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import labeltree as lt
from labeltree import cli

PAGE = Path(__file__).with_name("reference") / "public-api.md"
MODULES = (
    *(name for name in lt.__all__ if inspect.ismodule(getattr(lt, name))),
    *("hub", "mlflow"),
)
_LIST = re.compile(r"<!-- names:begin -->.*<!-- names:end -->", flags=re.DOTALL)


def names() -> Iterator[str]:
    """Yield the list of the page, line by line."""
    yield from _section("labeltree", [name for name in lt.__all__ if name not in MODULES], lt)
    for module in MODULES:
        made = importlib.import_module(f"labeltree.{module}")
        yield from _section(f"labeltree.{module}", made.__all__, made)
    yield from _commands()


def _section(title: str, names: list[str], module: Any) -> Iterator[str]:
    yield f"\n## {title}\n"
    for name in sorted(names, key=str.lower):
        made = getattr(module, name)
        if inspect.isclass(made):
            yield from _class(name, made)
        elif callable(made):
            yield f"- `{name}({_parameters(made)})`: {_summary(made)}"
        else:
            yield f"- `{name}`: {_described(made)}"


def _described(made: Any) -> str:
    return "Version of the package." if isinstance(made, str) else f"A `{type(made).__name__}`."


def _class(name: str, made: type) -> Iterator[str]:
    yield f"- `{name}({_parameters(made)})`: {_summary(made)}"
    fields = {field.name for field in dataclasses.fields(made)} if _is_record(made) else set()
    for member, value in inspect.getmembers(made):
        if member.startswith("_") or member in fields or _is_inherited(value):
            continue
        if made is lt.HSMClassifier and value is getattr(lt.PLTClassifier, member):
            continue
        if isinstance(inspect.getattr_static(made, member), property):
            yield f"    - `{member}`: {_summary(value)}"
        elif callable(value):
            yield f"    - `{member}({_parameters(value)})`: {_summary(value)}"


def _is_record(made: type) -> bool:
    return dataclasses.is_dataclass(made)


def _is_inherited(value: Any) -> bool:
    """Whether a member is not of this package, such as those of scikit-learn's base classes."""
    owner = getattr(value, "fget", value)
    module = getattr(owner, "__module__", None) or ""
    return not module.startswith("labeltree")


def _parameters(made: Any) -> str:
    try:
        found = inspect.signature(made).parameters.values()
    except (TypeError, ValueError):
        return ""
    shown = []
    for parameter in found:
        star = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
        if parameter.name != "self":
            shown.append(star + parameter.name)
    return ", ".join(shown)


def _summary(made: Any) -> str:
    text = inspect.getdoc(made) or ""
    return " ".join(text.split("\n\n")[0].split())


def _commands() -> Iterator[str]:
    yield "\n## Commands\n"
    actions = cli.make_parser()._actions
    commands = next(a for a in actions if isinstance(a, argparse._SubParsersAction))
    summaries = {choice.dest: choice.help or "" for choice in commands._choices_actions}
    for name, parser in commands.choices.items():
        yield f"- `labeltree {name}`: {summaries[name]}"
        options = [o for action in parser._actions for o in action.option_strings[-1:]]
        operands = [action.dest for action in parser._actions if not action.option_strings]
        shown = [*operands, *sorted(options, key=str.lower)]
        yield f"    - {' '.join(f'`{word}`' for word in shown)}"


def written(page: str) -> str:
    """Return the page with the list of all public names."""
    listed = "\n".join(names())
    return _LIST.sub(lambda _: f"<!-- names:begin -->\n{listed}\n\n<!-- names:end -->", page)


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text()))
