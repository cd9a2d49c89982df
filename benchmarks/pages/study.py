"""The tables of docs/explanation/study*.md: the measurements behind the defaults.

The figures were distilled from a study that is not repeated; they stay with their commits.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from benchmarks.markdown import table
from benchmarks.pages.places import Place, Record, Table


def page(records: list[Record]) -> Iterator[Place]:
    """Yield a table for each question, choices by data sets."""
    for record in records:
        sets = dict.fromkeys(name for choice in record["choices"] for name in choice["of"])
        rows = [
            [choice["choice"], *(_cell(choice["of"].get(name)) for name in sets)]
            for choice in record["choices"]
        ]
        yield Table(record["marker"], table([record["data"], *sets], rows))


def _cell(found: dict[str, Any] | None) -> str:
    if found is None:
        return "–"
    mean = sum(found[f"P@{k}"] for k in (1, 3, 5)) / 3
    return f"{mean:.1f} ({found['cpu_s']:.1f} s)"
