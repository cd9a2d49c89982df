"""Write the tables of the README from the raw results: python -m benchmarks.report"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "benchmarks" / "results"


def table(header: list[str], rows: list[list[str]]) -> str:
    """Return a Markdown table whose first column is text and whose others are numbers."""
    lines = [header, ["---"] + ["---:"] * (len(header) - 1), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def trees_table(results: dict[str, Any]) -> str:
    """Cost per row and seconds to build, trees by data sets."""
    sets = results["data"]
    bounds = [f"{data['lower_bound_per_row']:.1f}" for data in sets]
    rows = [["*lower bound, any tree*", *bounds]]
    for i, first in enumerate(sets[0]["trees"]):
        cells = [
            f"{data['trees'][i]['cost_per_row']:.1f} ({data['trees'][i]['build_cpu_s']:.1f} s)"
            for data in sets
        ]
        rows.append([first["tree"], *cells])
    header = ["cost per row (CPU seconds to build)"]
    header += [f"{data['data']}: {data['n_labels']:,} labels" for data in sets]
    machine = results["machine"]
    note = f"Commit {machine['commit']}, {machine['processor']}, one thread."
    return f"{table(header, rows)}\n\n{note}"


RIVAL_COLUMNS = {
    "train, CPU s": "{train_cpu_s:.1f}",
    "memory over data, MB": "{train_over_data_mb:.0f}",
    "model, MB": "{model_mb:.1f}",
    "open, s": "{open_s:.2f}",
    "batch, rows per CPU s": "{batch_rows_per_cpu_s:,}",
    "one row, µs p50 / p99": "{single_p50_us:,} / {single_p99_us:,}",
    "P@1 / 3 / 5": "{P@1:.1f} / {P@3:.1f} / {P@5:.1f}",
    "nDCG@5": "{nDCG@5:.1f}",
    "PSP@1 / 3 / 5": "{PSP@1:.1f} / {PSP@3:.1f} / {PSP@5:.1f}",
}


def rivals_table(results: dict[str, Any]) -> str:
    """Every system that was run, losses and failures too, data set by data set."""
    return "\n\n".join(_rivals_run(run) for run in results["runs"])


def _rivals_run(run: dict[str, Any]) -> str:
    rows = []
    for system in run["systems"]:
        none = [system["status"]] + ["–"] * (len(RIVAL_COLUMNS) - 1)
        cells = (
            [cell.format_map(system) for cell in RIVAL_COLUMNS.values()]
            if system["status"] == "ok"
            else none
        )
        rows.append([system["system"], *cells])
    title = (
        f"{run['data']}: {run['n_rows']:,} rows, {run['n_features']:,} features, "
        f"{run['n_labels']:,} labels; {run['n_test_rows']:,} test rows; {run['threads']} thread"
        f"{'s' if run['threads'] > 1 else ''}"
    )
    return f"**{title}**\n\n{table(['system', *RIVAL_COLUMNS], rows)}\n\n{_rivals_note(run)}"


def _rivals_note(run: dict[str, Any]) -> str:
    done = [system for system in run["systems"] if "version" in system]
    versions = dict.fromkeys(f"{system['package']} {system['version']}" for system in done)
    machines = [system["machine"] for system in run["systems"]]
    processors = dict.fromkeys(f"{m['processor']}, {m['cores']} cores" for m in machines)
    ours = [s["machine"]["commit"] for s in run["systems"] if s.get("package") == "labeltree"]
    loads = [s[when] for s in run["systems"] for when in ("load_before", "load_after")]
    return (
        f"{'; '.join(versions)}. Commit {', '.join(dict.fromkeys(ours))}; {'; '.join(processors)}; "
        f"load average {min(loads):.1f} to {max(loads):.1f}; seed {run['seed']}."
    )


#: Marker in the README: files of results, and what makes a table of one of them.
TABLES = {"trees": ("trees.json", trees_table), "rivals": ("rivals-*.json", rivals_table)}


def main() -> None:
    """Fill every table whose results are there."""
    readme = ROOT / "README.md"
    text = readme.read_text()
    for name, (files, make) in TABLES.items():
        made = "\n\n".join(make(json.loads(p.read_text())) for p in sorted(RESULTS.glob(files)))
        if not made:
            continue
        begin, end = f"<!-- {name}:begin -->", f"<!-- {name}:end -->"
        filled = f"{begin}\n{made}\n{end}"
        pattern = re.escape(begin) + ".*?" + re.escape(end)
        text = re.sub(pattern, lambda _: filled, text, flags=re.DOTALL)  # noqa: B023
    readme.write_text(text)


if __name__ == "__main__":
    main()
