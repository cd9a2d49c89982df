"""Packages that only some features need, and the extras of labeltree that install them."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def optional(package: str, needed_by: str, extra: str) -> Any:
    """Return an optional package, imported.

    Parameters
    ----------
    package
        Name of the package, or of a module in it.
    needed_by
        What needs it, with the verb, as an error says it: "plots need".
    extra
        Extra that installs it: ``pip install "labeltree[extra]"``.

    Raises
    ------
    ModuleNotFoundError
        If it is not installed. The message names the extra.

    Examples
    --------
    >>> optional("no_such_package", "examples need", "plot")
    Traceback (most recent call last):
    ModuleNotFoundError: examples need the package no_such_package: pip install "labeltree[plot]"
    """
    top = package.partition(".")[0]
    try:
        return import_module(package)
    except ModuleNotFoundError as error:
        if (error.name or top).partition(".")[0] != top:
            raise  # of a package that this one needs
        raise ModuleNotFoundError(
            f'{needed_by} the package {top}: pip install "labeltree[{extra}]"', name=top
        ) from None
