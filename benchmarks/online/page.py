"""The tables of docs/online.md."""

from __future__ import annotations

from typing import Any

from benchmarks.markdown import table

_HEADER = [
    "",
    "learn, rows a CPU s",
    "answer and learn, rows a CPU s",
    "progressive P@1 / 3 / 5",
    "of the last tenth",
    "then, of test rows",
]


def online_tables(results: dict[str, Any]) -> str:
    """Return a table for each stream, and those about new labels and new rows."""
    made = []
    for stream in results["streams"]:
        made.append(
            f"**{stream['data']}: {stream['rows']:,} rows, {stream['labels']:,} labels, "
            f"order: {stream['order']}**"
        )
        systems = {name: found for name, found in stream.items() if isinstance(found, dict)}
        made.append(table(_HEADER, [_row(name, found) for name, found in systems.items()]))
    if "new_labels" in results:
        made.append(_new_labels(results["new_labels"]))
    made += [_ways(found) for name in ("new_rows", "finish") for found in results.get(name, [])]
    where = results["machine"]
    made.append(f"Commit {where['commit']}; {where['processor']}, one thread.")
    return "\n\n".join(made)


def _row(name: str, found: dict[str, Any]) -> list[str]:
    if "error" in found:
        return [name, found["error"], *[""] * 4]
    counts = ("learn_rows_per_cpu_s", "answer_and_learn_rows_per_cpu_s")
    if "train_cpu_s" in found:
        cells = [f"fit: {found['train_cpu_s']} s", ""]
    else:
        cells = [f"{found[count]:,}" for count in counts]
    shares = ("progressive", "progressive_last_tenth", "test")
    return [name, *cells, *(_shares(found.get(share)) for share in shares)]


def _shares(found: list[float] | None) -> str:
    return "" if found is None else " / ".join(f"{share:.1f}" for share in found)


def _new_labels(found: dict[str, Any]) -> str:
    first = f"a fit to {found['first_rows']:,} rows with {found['old_labels']:,} labels"
    later = f"then {found['later_rows']:,} rows online, with {found['new_labels']:,} new labels"
    parts = {
        first: ("fit_cpu_s", "before"),
        later: ("partial_fit_cpu_s", "after"),
        "then a warm fit to the same rows": ("warm_fit_cpu_s", "finished"),
        "a fit to all rows": ("full_fit_cpu_s", "full"),
    }
    rows = [
        [name, f"{found[seconds]}", *(_shares(found[part].get(kind)) for kind in ("old", "new"))]
        for name, (seconds, part) in parts.items()
        if part in found
    ]
    header = ["P@1 / 3 / 5", "CPU s", "old labels", "new labels"]
    return f"**{found['data']}: new labels for a trained model**\n\n{table(header, rows)}"


def _ways(found: dict[str, Any]) -> str:
    rows = [[name, f"{way['cpu_s']}", _shares(way["test"])] for name, way in found["ways"].items()]
    return f"**{found['title']}**\n\n{table(['', 'CPU s', 'P@1 / 3 / 5'], rows)}"
