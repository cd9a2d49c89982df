"""Figures that are not of the commit of all others, each with a reason.

`exceptions.json` has for each results file the commits that it may name; `run` removes what is no
longer needed. It also has the commits of figures that pages quote by hand.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.figures.record import commits_of, read
from benchmarks.machine import RESULTS

FILE = Path(__file__).with_name("exceptions.json")


@dataclass(frozen=True)
class Exceptions:
    """The commits that results files and pages may name beside the common one.

    Parameters
    ----------
    entries
        Commits and reason, by results file.
    quoted
        Reasons, by commit that pages cite without results.
    """

    entries: dict[str, dict[str, Any]]
    quoted: dict[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path = FILE) -> Exceptions:
        """Return the exceptions of a file."""
        found = json.loads(path.read_text())
        return cls(found["results"], found["quoted"])

    def write(self, path: Path = FILE) -> None:
        """Write the exceptions to a file."""
        found = {"results": self.entries, "quoted": self.quoted}
        path.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n")

    def commits(self, file: str) -> set[str]:
        """Return the commits that a results file may name."""
        return set(self.entries.get(file, {}).get("commits", ()))

    def pruned(self, results: Path = RESULTS) -> Exceptions:
        """Return the exceptions without commits that results no longer name."""
        entries = {}
        for file, entry in self.entries.items():
            needed = commits_of(read(results / file))
            if commits := [commit for commit in entry["commits"] if commit in needed]:
                entries[file] = {**entry, "commits": commits}
        return Exceptions(entries, self.quoted)
