"""Measure the figures of a page and write its tables and plots.

    python -m benchmarks.pages trees DATA/eurlex-4k DATA/tib-gnd    # measure, keep, write
    python -m benchmarks.pages write trees                          # write from kept results
    python -m benchmarks.pages write                                # write all pages

DATA is a folder of data sets, each a folder with X.trn.npz, Y.trn.npz, X.tst.npz and Y.tst.npz.
"""

from __future__ import annotations

import argparse
import importlib
import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks.machine import RESULTS, machine
from benchmarks.pages.places import Record

MEASURED = (
    "annif",
    "calibration",
    "cost_and_accuracy",
    "cost_model",
    "descriptions",
    "effort",
    "features",
    "guide",
    "online",
    "pipe",
    "plans",
    "scale",
    "serve",
    "steps",
    "text",
    "theory",
    "threads",
    "trees",
)
#: Measured by another command, or not measured again.
WRITTEN = ("cluster", "rivals", "study", "torch")


def page_module(name: str) -> Any:
    """Return the module of a page."""
    return importlib.import_module(f"benchmarks.pages.{name}")


def known_page(name: str) -> str:
    """Return the name of a page, if it exists."""
    if name not in (*MEASURED, *WRITTEN):
        pages = ", ".join((*MEASURED, *WRITTEN))
        raise argparse.ArgumentTypeError(f"NAME must be among {pages}, but is {name!r}")
    return name


def options(arguments: list[str] | None = None) -> argparse.Namespace:
    """Parse the command line; only the module of the named page is imported."""
    arguments = sys.argv[1:] if arguments is None else arguments
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.pages",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    pages = parser.add_subparsers(dest="page", required=True, metavar="NAME")
    write = pages.add_parser("write", help="write pages from saved results")
    write.add_argument("names", nargs="*", type=known_page, metavar="NAME")
    for name in MEASURED:
        if name in arguments[:1]:
            module = page_module(name)
            page = pages.add_parser(name, description=module.__doc__)
            page.formatter_class = parser.formatter_class
            module.add_arguments(page)
        else:
            pages.add_parser(name)
    return parser.parse_args(arguments)


def result_files(name: str) -> list[Path]:
    """Return NAME.json and NAME-*.json, of those that there are."""
    return [*RESULTS.glob(f"{name}.json"), *sorted(RESULTS.glob(f"{name}-*.json"))]


def kept(name: str) -> list[Record]:
    """Return the records of NAME.json, and of NAME-*.json if each data set has its own file.

    A file without sets is one record.
    """
    found = [json.loads(path.read_text()) for path in result_files(name)]
    return [record for results in found for record in results.get("sets", [results])]


def merged(records: Iterable[Record], found: Record) -> list[Record]:
    """Return the records with the one of the same kind and data replaced.

    Examples
    --------
    >>> merged([{"data": "a", "n": 1}, {"data": "b"}], {"data": "a", "n": 2})
    [{'data': 'a', 'n': 2}, {'data': 'b'}]
    """
    made, is_new = [], True
    for record in records:
        is_same = all(record.get(key) == found.get(key) for key in ("kind", "data"))
        made.append(found if is_same else record)
        is_new &= not is_same
    return [*made, found] if is_new else made


def measure(name: str, asked: argparse.Namespace) -> list[Record]:
    """Measure a page and return all its records; results are saved after each record."""
    records = kept(name)
    for found in page_module(name).measure(asked):
        records = merged(records, {**found, "machine": machine()})
        print(json.dumps(found, ensure_ascii=False), flush=True)
        text = json.dumps({"sets": records}, indent=1, ensure_ascii=False)
        (RESULTS / f"{name}.json").write_text(text + "\n")
    return records


def write(name: str, records: list[Record]) -> None:
    """Write the tables and plots of a page, if there are records."""
    for place in page_module(name).page(records) if records else ():
        for file in place.write():
            print(f"{name}: wrote {file}")


def main(arguments: list[str] | None = None) -> None:
    """Measure and write one page, or write several."""
    asked = options(arguments)
    if asked.page == "write":
        for name in asked.names or (*MEASURED, *WRITTEN):
            write(name, kept(name))
    else:
        write(asked.page, measure(asked.page, asked))


if __name__ == "__main__":
    main()
