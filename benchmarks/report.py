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


TABLES = {"trees": trees_table}


def main() -> None:
    """Fill every table whose results are there."""
    readme = ROOT / "README.md"
    text = readme.read_text()
    for name, make in TABLES.items():
        path = RESULTS / f"{name}.json"
        if not path.exists():
            continue
        made = make(json.loads(path.read_text()))
        begin, end = f"<!-- {name}:begin -->", f"<!-- {name}:end -->"
        pattern = re.escape(begin) + ".*?" + re.escape(end)
        text = re.sub(pattern, lambda _: f"{begin}\n{made}\n{end}", text, flags=re.DOTALL)  # noqa: B023
    readme.write_text(text)


if __name__ == "__main__":
    main()
