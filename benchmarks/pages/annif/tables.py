"""The tables of docs/reference/measurements/annif.md."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from benchmarks.markdown import at_ranks, table
from benchmarks.pages.places import Place, Record, Table, Values, measured_on

OMIKUJI = "omikuji (default: Parabel)"
_HEADER = [
    "",
    "P@1 / 3 / 5",
    "F1@5",
    "nDCG@5 / 10",
    "train, CPU s",
    "train again, CPU s",
    "suggest, CPU ms per text (words alone)",
    "one text, ms",
    "open, ms",
    "model, MB",
    "peak, MB",
]


def page(records: list[Record]) -> Iterator[Place]:
    """Yield a table for each corpus."""
    parts = []
    for record in records:
        sizes = record["sizes"]
        parts.append(
            f"**{record['data']}: {sizes['train_texts']:,} training texts, {sizes['test_texts']:,} "
            f"test texts, {sizes['subjects']:,} subjects, {sizes['subjects_a_text']} per text**"
        )
        rows = [_row(label, at) for label, at in record["systems"].items()]
        parts.append(table(_HEADER, rows))
        parts.append(measured_on(record, f"{record['annif']}, one thread, seed 0"))
    yield Table("figures", "\n\n".join(parts))
    yield Values({name: text for record in records for name, text in _leads(record)})


def _leads(record: Record) -> Iterator[tuple[str, str]]:
    """Yield the points of P@1 by which the default leads two settings of omikuji."""
    first = {name: 100 * at["Precision@1"] for name, at in record["systems"].items()}
    for name, label in (("default", OMIKUJI), ("pairs", "omikuji, pairs of words")):
        if label in first:
            yield f"annif.{record['data']}.{name}", f"{first['labeltree'] - first[label]:.1f}"


def _row(label: str, at: dict[str, Any]) -> list[str]:
    return [
        label,
        at_ranks([100 * at[f"Precision@{k}"] for k in (1, 3, 5)]),
        f"{100 * at['F1@5']:.1f}",
        at_ranks([100 * at["NDCG@5"], 100 * at["NDCG@10"]]),
        f"{at['train_cpu_s']:.1f}",
        _optional(at, "train_cached_cpu_s", 1),
        f"{at['suggest_cpu_ms']:.2f} ({at['words_cpu_ms']:.2f})",
        _optional(at, "suggest_one_ms", 2),
        _optional(at, "open_ms", 0),
        f"{at['model_mb']:.1f}",
        f"{at['peak_mb']:.0f}",
    ]


def _optional(at: dict[str, Any], name: str, digits: int) -> str:
    return f"{at[name]:,.{digits}f}" if name in at else "–"
