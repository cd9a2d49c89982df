"""Run the benchmark: python -m benchmarks.torch --output results.json [--parts ...] [--quick]"""

from __future__ import annotations

import argparse
import importlib.machinery
import sys
import types
from pathlib import Path

SOURCES = Path(__file__).parents[2] / "src" / "labeltree"
DATA_PARTS = ("likelihood", "lengths", "planned", "precision")
STEP_PARTS = ("check", "steps", "labels", "modules", "search", "sort", "plan", "rivals", "profile")
PARTS = (*STEP_PARTS, *DATA_PARTS)


def main() -> None:
    """Run the parts that are asked for, each by itself."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, default=Path("torch.json"))
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--data", type=Path, help="folder with the data sets, packed or not")
    parser.add_argument("--quick", action="store_true", help="one case of each part")
    options = parser.parse_args()
    allow_missing_core()
    from benchmarks.torch import parts

    parts.run(options.parts, options.output, options.data, quick=options.quick)


def allow_missing_core() -> None:
    """Let labeltree.torch be imported without the native core, which it does not need.

    A machine with a GPU need not be able to build it.
    """
    if any(importlib.machinery.PathFinder.find_spec("_core", [str(SOURCES)]) for _ in (1,)):
        return
    package = types.ModuleType("labeltree")
    package.__path__ = [str(SOURCES)]
    sys.modules["labeltree"] = package


if __name__ == "__main__":
    main()
