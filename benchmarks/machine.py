"""The machine and versions of a measurement, and the folders of the results."""

from __future__ import annotations

import os
import platform
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import scipy

import labeltree

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "benchmarks" / "results"
#: What changes figures; the last commit that changed it is the commit of a measurement.
MEASURED_CODE = ("src", "core", "CMakeLists.txt")


def machine() -> dict[str, Any]:
    """Return commit, processor, load and versions."""
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text().splitlines() if cpuinfo.exists() else []
    models = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    commit = subprocess.run(
        ["git", "log", "-1", "--format=%h", "--", *MEASURED_CODE],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
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
