"""The tables of docs/reference/measurements/online.md."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from benchmarks.markdown import at_ranks, table
from benchmarks.pages.places import Place, Record, Table, measured_on

_HEADER = [
    "",
    "learn, rows per CPU s",
    "predict and learn, rows per CPU s",
    "progressive P@1 / 3 / 5",
    "of the last tenth",
    "then, of test rows",
]


def page(records: list[Record]) -> Iterator[Place]:
    """Yield the tables of streams, of new labels and of new rows."""
    kinds = {"stream": _stream, "new labels": _new_labels, "new rows": _ways, "finish": _ways}
    parts = [kinds[record["kind"]](record) for record in records]
    yield Table("online", "\n\n".join([*parts, measured_on(records)]))


def _stream(record: Record) -> str:
    title = (
        f"**{record['data']}: {record['rows']:,} rows, {record['labels']:,} labels, "
        f"order: {record['order']}**"
    )
    rows = [_row(name, found) for name, found in record["systems"].items()]
    return f"{title}\n\n{table(_HEADER, rows)}"


def _row(name: str, found: dict[str, Any]) -> list[str]:
    if "error" in found:
        return [name, found["error"], *[""] * 4]
    counts = ("learn_rows_per_cpu_s", "answer_and_learn_rows_per_cpu_s")
    if "train_cpu_s" in found:
        cells = [f"fit: {found['train_cpu_s']} s", ""]
    else:
        cells = [f"{found[count]:,}" for count in counts]
    shares = ("progressive", "progressive_last_tenth", "test")
    return [name, *cells, *(at_ranks(found.get(share, [])) for share in shares)]


def _new_labels(found: Record) -> str:
    first = f"a fit to {found['first_rows']:,} rows with {found['old_labels']:,} labels"
    later = f"then {found['later_rows']:,} rows online, with {found['new_labels']:,} new labels"
    parts = {
        first: ("fit_cpu_s", "before"),
        later: ("partial_fit_cpu_s", "after"),
        "then a warm fit to the same rows": ("warm_fit_cpu_s", "finished"),
        "a fit to all rows": ("full_fit_cpu_s", "full"),
    }
    rows = [
        [
            name,
            f"{found[seconds]}",
            *(at_ranks(found[part].get(kind, [])) for kind in ("old", "new")),
        ]
        for name, (seconds, part) in parts.items()
        if part in found
    ]
    header = ["P@1 / 3 / 5", "CPU s", "old labels", "new labels"]
    return f"**{found['data']}: new labels for a trained model**\n\n{table(header, rows)}"


def _ways(found: Record) -> str:
    rows = [[name, f"{way['cpu_s']}", at_ranks(way["test"])] for name, way in found["ways"].items()]
    return f"**{found['title']}**\n\n{table(['', 'CPU s', 'P@1 / 3 / 5'], rows)}"
