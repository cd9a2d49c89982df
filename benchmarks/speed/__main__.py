"""Run all guards, print their figures and keep them as JSON.

python -m benchmarks.speed [--only parse,price] [--output benchmarks/results/speed.json]
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import pkgutil
import platform
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import scipy

import benchmarks.speed
import labeltree


def machine() -> dict[str, Any]:
    """What the figures were measured on."""
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text().splitlines() if cpuinfo.exists() else []
    models = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False
    )
    return {
        "commit": commit.stdout.strip() or None,
        "processor": models[0] if models else platform.processor(),
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[0], 2),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "labeltree": labeltree.__version__,
    }


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
        options.output.write_text(json.dumps(results, indent=2) + "\n")


if __name__ == "__main__":
    main()
