"""Output layers on a GPU, measured by `benchmarks.torch`.

docs/how-to/torch.md quotes the figures by hand.
"""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.pages.places import Place, Record

COMMAND = "benchmarks.torch"
RUNS = {"h200": "--output benchmarks/results/torch-h200.json"}
FILES = {"h200": "torch-h200.json"}
MINUTES = 45
NEEDS = ("gpu",)


def page(records: list[Record]) -> Iterator[Place]:
    """Yield nothing yet."""
    return iter(())
