"""What results files say of their measurement: commits, and the runs that made them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.figures.parts import Part
from benchmarks.rivals.figures import is_ours

RUNS = "runs"  # the entry of a results file that has the runs of its parts


def read(path: Path) -> dict[str, Any]:
    """Return the content of a results file; empty if there is none."""
    found: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}
    return found


def run_of(part: Part, results: Path) -> dict[str, Any]:
    """Return what is known of the last run of a part."""
    found: dict[str, Any] = read(results / part.file).get(RUNS, {}).get(part.name, {})
    return found


def is_done(part: Part, commit: str, results: Path) -> bool:
    """Return whether the result of a part is of a commit."""
    return bool(run_of(part, results).get("commit") == commit)


def minutes(part: Part, results: Path) -> float:
    """Return how long a part takes: as long as last time, or as its module says."""
    seconds = run_of(part, results).get("seconds")
    return part.minutes if seconds is None else float(seconds) / 60


def take_over(part: Part, measured: Path, results: Path, run: dict[str, Any]) -> None:
    """Copy the results file of a part from where it was measured, with what is known of the run."""
    found = read(measured / part.file)
    if not found:
        raise FileNotFoundError(f"{part.name} must write {part.file}, but there is no such file")
    runs = {**read(results / part.file).get(RUNS, {}), part.name: run}
    indent = None if "profiles" in found else 1  # thousands of jobs, so without line breaks
    text = json.dumps({**found, RUNS: runs}, indent=indent, ensure_ascii=False)
    temporary = results / f"{part.file}.part"
    temporary.write_text(text + "\n")
    temporary.replace(results / part.file)


def commits_of(found: Any, *, with_others: bool = False) -> set[str]:
    """Return the commits that results of labeltree name, or those of other systems, too.

    Results of other systems do not depend on our commit.

    Examples
    --------
    >>> commits_of({"sets": [{"data": "a", "machine": {"commit": "1234567"}}]})
    {'1234567'}
    """
    return set(_commits(found, with_others))


def _commits(found: Any, with_others: bool) -> Iterator[str]:
    if isinstance(found, list):
        for one in found:
            yield from _commits(one, with_others)
    if not isinstance(found, dict):
        return
    if "system" in found and not is_ours(found) and not with_others:
        return
    for key, value in found.items():
        if key == "commit" and isinstance(value, str):
            yield value
        elif key == "commits":
            yield from (value.values() if isinstance(value, dict) else value)
        elif key != RUNS:
            yield from _commits(value, with_others)
