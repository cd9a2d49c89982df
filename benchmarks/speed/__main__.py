"""Run all guards, print their figures and keep them as JSON.

python -m benchmarks.speed [--only parse,price] [--output benchmarks/results/speed.json]
"""

from __future__ import annotations

import argparse
import importlib
import json
import pkgutil
from pathlib import Path
from typing import Any

import benchmarks.speed
from benchmarks.machine import machine


def main() -> None:
    """Run the guards."""
    names = [module.name for module in pkgutil.iter_modules(benchmarks.speed.__path__)]
    names.remove("__main__")
    parser = argparse.ArgumentParser(prog="python -m benchmarks.speed", description=__doc__)
    parser.add_argument("--only", default=",".join(names), help="which guards, with commas")
    parser.add_argument("--output", type=Path, help="JSON file to write")
    options = parser.parse_args()
    results: dict[str, Any] = {"machine": machine(), "results": {}}
    for name in options.only.split(","):
        figures = importlib.import_module(f"benchmarks.speed.{name}").measure()
        results["results"][name] = figures
        print(json.dumps(figures, indent=2), flush=True)
    if options.output:
        options.output.parent.mkdir(parents=True, exist_ok=True)
        options.output.write_text(json.dumps(results, indent=2) + "\n")


if __name__ == "__main__":
    main()
