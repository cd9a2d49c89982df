"""Time all kernels, and compare the times with the committed ones."""

from __future__ import annotations

import argparse
import importlib
import json
import pkgutil
from pathlib import Path
from typing import Any

from benchmarks.machine import RESULTS, machine
from benchmarks.speed import kernels
from benchmarks.speed.compare import comparison

COMMITTED = RESULTS / "speed.json"
NAMES = [module.name for module in pkgutil.iter_modules(kernels.__path__)]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command line."""
    parser.add_argument("--only", nargs="+", default=NAMES, choices=NAMES, metavar="KERNEL")
    parser.add_argument("--compare", action="store_true", help="with results/speed.json")
    parser.add_argument("--output", type=Path, help="JSON file to write")


def run(asked: argparse.Namespace) -> int:
    """Run the command; return the exit status, which is 0."""
    results: dict[str, Any] = {"machine": machine(), "results": {}}
    for name in asked.only:
        figures = importlib.import_module(f"benchmarks.speed.kernels.{name}").measure()
        results["results"][name] = figures
        print(json.dumps(figures, indent=2), flush=True)
    if asked.compare:
        print(comparison(json.loads(COMMITTED.read_text()), results))
    if asked.output:
        asked.output.write_text(json.dumps(results, indent=2) + "\n")
    return 0
