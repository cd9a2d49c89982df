"""Print the oldest versions that pyproject.toml allows, as constraints for pip.

python release/oldest.py > oldest.txt && pip install -c oldest.txt '.[test]'
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

PROJECT = Path(__file__).parent.parent / "pyproject.toml"
REQUIREMENT = re.compile(r"(?P<name>[\w.-]+)(?:\[[^]]*\])?>=(?P<version>[\w.]+)")
#: What builds, checks and documents is used in its newest version.
LEFT_OUT = {"docs", "lint", "torch", "ray", "annif"}


def constraints(text: str) -> list[str]:
    """Return name==version for each dependency; of several minimums, the largest.

    Examples
    --------
    >>> constraints('[project]\\ndependencies = ["numpy>=1.26", "river[fast]>=0.21,<1"]')
    ['numpy==1.26', 'river==0.21']
    """
    project = tomllib.loads(text)["project"]
    extras = project.get("optional-dependencies", {})
    listed = list(project["dependencies"])
    for extra, requirements in extras.items():
        if extra not in LEFT_OUT:
            listed += requirements
    oldest: dict[str, str] = {}
    for match in filter(None, map(REQUIREMENT.match, listed)):
        name, version = match["name"], match["version"]
        oldest[name] = max(oldest.get(name, "0"), version, key=_numbers)
    return [f"{name}=={version}" for name, version in sorted(oldest.items())]


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


if __name__ == "__main__":
    sys.stdout.write("\n".join(constraints(PROJECT.read_text())) + "\n")
