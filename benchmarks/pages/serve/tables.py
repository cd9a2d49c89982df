"""The tables of docs/reference/measurements/serving.md."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from benchmarks.markdown import at_ranks, table
from benchmarks.pages.places import Place, Record, Table, measured_on

_HEADER = [
    "",
    "P@1 / 3 / 5",
    "CPU µs per request",
    "requests per s, one worker",
    "requests per CPU s, relative",
    "memory, MB",
]
_MORE_HEADER = ["labeltree serve", "CPU per request", "requests per s", "p50, ms", "p99, ms"]
_NAMES = {
    "100 texts": "100 texts in one request",
    "explain": "explanation",
    "70 % load": "one text, at 70 % of the maximum rate",
    "1 workers": "one text, one worker",
    "2 workers": "one text, two workers",
}


def page(records: list[Record]) -> Iterator[Place]:
    """Yield the two tables."""
    for record in records:
        sizes, mine = record["sizes"], next(iter(record["systems"].values()))
        rows = [_row(label, at, mine) for label, at in record["systems"].items()]
        more = [_more_row(_NAMES[name], at) for name, at in record["more"].items()]
        one, two = (record["more"][f"{n} workers"] for n in (1, 2))
        second = two["memory_mb"] - one["memory_mb"]
        yield Table(
            "serve",
            "\n\n".join(
                [
                    f"Docstrings: {sizes['train_texts']:,} training texts, "
                    f"{sizes['subjects']:,} labels, {sizes['test_texts']:,} test texts of at most "
                    "200 characters, five labels each.",
                    table(_HEADER, rows),
                    table(_MORE_HEADER, more),
                    f"A second worker takes {second} MB more. With two workers, wrk itself uses "
                    f"{two['wrk_cores']:.2f} of the two cores.",
                    measured_on(record, "wrk on loopback, median of three runs"),
                ]
            ),
        )


def _row(label: str, at: dict[str, Any], mine: dict[str, Any]) -> list[str]:
    return [
        label,
        at_ranks([at[f"p@{k}"] for k in (1, 3, 5)]),
        f"{at['cpu_us']:,.0f}",
        f"{at['requests_per_s']:,.0f}",
        f"{mine['cpu_us'] / at['cpu_us']:.3f}",
        f"{at['memory_mb']:,}",
    ]


def _more_row(name: str, at: dict[str, Any]) -> list[str]:
    cpu = at["cpu_us"]
    return [
        name,
        f"{cpu:,.0f} µs" if cpu < 1000 else f"{cpu / 1e3:.1f} ms",
        f"{at['requests_per_s']:,.0f}",
        f"{at['p50_ms']:.2f}",
        f"{at['p99_ms']:.2f}",
    ]
