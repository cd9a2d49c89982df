"""The tables of docs/annif.md."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks.markdown import fill, table

PAGE = Path(__file__).parent.parent.parent / "docs" / "annif.md"
_HEADER = [
    "",
    "P@1 / 3 / 5",
    "F1@5",
    "nDCG@5 / 10",
    "train, CPU s",
    "train again, CPU s",
    "suggest, CPU ms a text (of it words)",
    "one text, ms",
    "open, ms",
    "model, MB",
    "peak, MB",
]


def write_page(results: dict[str, Any]) -> None:
    """Write the tables of the page."""
    made = []
    for name, measured in results.items():
        sizes, where = measured["sizes"], measured["machine"]
        made.append(
            f"**{name}: {sizes['train_texts']:,} texts to train by, {sizes['test_texts']:,} to "
            f"judge by, {sizes['subjects']:,} subjects, {sizes['subjects_a_text']} a text**\n"
        )
        rows = [_row(label, at) for label, at in measured["systems"].items()]
        made.append(table(_HEADER, rows) + "\n")
        made.append(
            f"{measured['annif']}; commit {where['commit']}; {where['processor']}, one thread; "
            f"load average {where['load']} before and {measured['load_after']} after; seed 0.\n"
        )
    PAGE.write_text(fill(PAGE.read_text(), "figures", "\n".join(made)))


def _row(label: str, at: dict[str, Any]) -> list[str]:
    precision = " / ".join(f"{100 * at[f'Precision@{k}']:.1f}" for k in (1, 3, 5))
    return [
        label,
        precision,
        f"{100 * at['F1@5']:.1f}",
        f"{100 * at['NDCG@5']:.1f} / {100 * at['NDCG@10']:.1f}",
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
