"""Run all guards, print their figures, and keep them or compare them with the committed ones.

    python -m benchmarks.speed [--only parse,price] [--compare] [--output FILE]

Instructions are counted by callgrind where valgrind is installed; --no-instructions leaves it out.
"""

from __future__ import annotations

import argparse
import importlib
import json
import pkgutil
from pathlib import Path
from typing import Any

import benchmarks.speed
from benchmarks import instructions
from benchmarks.compare import committed, comparison
from benchmarks.machine import machine

COMMITTED = "benchmarks/results/speed.json"


def options(arguments: list[str] | None = None) -> argparse.Namespace:
    """Return what the command line asks for."""
    names = [module.name for module in pkgutil.iter_modules(benchmarks.speed.__path__)]
    names.remove("__main__")
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.speed",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--only", default=",".join(names), help="which guards, with commas")
    parser.add_argument("--compare", action="store_true", help=f"with {COMMITTED} as committed")
    parser.add_argument("--instructions", action=argparse.BooleanOptionalAction, default=True)
    parser.add_argument("--output", type=Path, help="JSON file to write")
    return parser.parse_args(arguments)


def main(arguments: list[str] | None = None) -> None:
    """Run the guards."""
    asked = options(arguments)
    results: dict[str, Any] = {"machine": machine(), "results": {}}
    for name in filter(None, asked.only.split(",")):
        figures = importlib.import_module(f"benchmarks.speed.{name}").measure()
        results["results"][name] = figures
        print(json.dumps(figures, indent=2), flush=True)
    if asked.instructions:
        counted = instructions.measure()
        results["results"]["instructions"] = counted
        print(json.dumps(counted, indent=2), flush=True)
    if asked.output:
        asked.output.parent.mkdir(parents=True, exist_ok=True)
        asked.output.write_text(json.dumps(results, indent=2) + "\n")
    if asked.compare:
        before = committed(COMMITTED)
        print("nothing committed yet" if before is None else comparison(before, results))


if __name__ == "__main__":
    main()
