"""Write tables and pictures of README and docs from raw results: python -m benchmarks.report"""

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


STUDY_COLUMNS = {
    "cost per row": "{cost_per_row:,.0f}",
    "build + train, CPU s": "{build_cpu_s:.1f} + {train_cpu_s:.1f}",
    "weights, million": "{millions:.1f}",
    "P@1 / 3 / 5": "{P@1:.1f} / {P@3:.1f} / {P@5:.1f}",
    "PSP@1 / 3 / 5": "{PSP@1:.1f} / {PSP@3:.1f} / {PSP@5:.1f}",
}


def study_table(results: dict[str, Any]) -> str:
    """Every choice that was compared, question by question."""
    parts = []
    for question in dict.fromkeys(row["question"] for row in results["results"]):
        chosen = [row for row in results["results"] if row["question"] == question]
        rows = [
            [row["choice"]]
            + [cell.format(**row, millions=row["weights"] / 1e6) for cell in STUDY_COLUMNS.values()]
            for row in chosen
        ]
        parts.append(
            f"**{chosen[0]['data']}: {question}**\n\n{table(['choice', *STUDY_COLUMNS], rows)}"
        )
    return "\n\n".join(parts)


def draw_study(files: list[Path], target: Path) -> None:
    """Draw accuracy against training time, a panel for each data set."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 4.2 * ((len(files) + 1) // 2)), layout="constrained")
    for i, path in enumerate(files):
        axes = figure.add_subplot((len(files) + 1) // 2, 2, i + 1)
        rows = json.loads(path.read_text())["results"]
        for kind, mark in (("blend", "o"), ("kmeans", "s"), ("cheapest", "^"), ("huffman", "v")):
            of_kind = [
                row
                for row in rows
                if kind in row["choice"] and row["question"] in ("trees", "forests")
            ]
            seconds = [row["build_cpu_s"] + row["train_cpu_s"] for row in of_kind]
            mean = [(row["P@1"] + row["P@3"] + row["P@5"]) / 3 for row in of_kind]
            axes.plot(seconds, mean, mark, label=kind)
        axes.set_xscale("log")
        axes.set_xlabel("build + train, CPU seconds")
        axes.set_ylabel("mean of P@1, P@3, P@5")
        axes.set_title(rows[0]["data"])
        axes.legend(loc="lower right")
    figure.savefig(target, dpi=110)


CALIBRATION_COLUMNS = {
    "ECE@5": "{ECE@5:.3f}",
    "ECE@1": "{ECE@1:.3f}",
    "log-loss of the best 5": "{log_loss:.3f}",
    "P@1 / 3 / 5": "{P@1:.1f} / {P@3:.1f} / {P@5:.1f}",
}
THRESHOLD_COLUMNS = {
    "macro-F1": "{macro_f1:.1f}",
    "micro-F1": "{micro_f1:.1f}",
    "mean F1 of rows": "{row_f1:.1f}",
    "labels a row": "{labels_a_row:.1f}",
}


def calibration_table(results: dict[str, Any]) -> str:
    """Ways to calibrate, and objectives of thresholds, on one data set."""
    rows = results["results"]
    parts = []
    for key, columns in (("way", CALIBRATION_COLUMNS), ("objective", THRESHOLD_COLUMNS)):
        cells = [
            [row[key]] + [cell.format_map(row) for cell in columns.values()]
            for row in rows
            if key in row
        ]
        if cells:
            title = f"**{rows[0]['data']}: {'calibration' if key == 'way' else 'thresholds'}**"
            parts.append(f"{title}\n\n{table([key, *columns], cells)}")
    return "\n\n".join([*parts, f"Commit {results['machine']['commit']}."])


#: Ways in the picture, by name, and their colours.
RELIABILITY = {
    "link (4, 1)": "tab:red",
    "link (4, 1), fixed curve: default": "tab:blue",
    "link (4, 1), isotonic curve": "tab:green",
}


def draw_reliability(files: list[Path], target: Path) -> None:
    """Draw the share of true labels against the probability, a panel for each data set."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 5 * ((len(files) + 1) // 2)), layout="constrained")
    for i, path in enumerate(files):
        axes = figure.add_subplot((len(files) + 1) // 2, 2, i + 1)
        rows = json.loads(path.read_text())["results"]
        axes.plot([0, 1], [0, 1], color="lightgrey")
        for row in rows:
            if row.get("way") in RELIABILITY:
                known = [b for b, n in enumerate(row["bins"]) if n >= 20]
                x, y = ([row[key][b] for b in known] for key in ("bin_probability", "bin_share"))
                label = f"{row['way']}: ECE@5 {row['ECE@5']:.3f}"
                axes.plot(x, y, "o-", color=RELIABILITY[row["way"]], label=label)
        axes.set_xlabel("probability of a label among the best 5")
        axes.set_ylabel("share of such labels that are true")
        axes.set_title(rows[0]["data"])
        axes.legend(loc="upper left")
    figure.savefig(target, dpi=110)


#: Marker: its document, files of results, and what makes a table of one of them.
TABLES = {
    "trees": ("README.md", "trees.json", trees_table),
    "rivals": ("README.md", "rivals-*.json", rivals_table),
    "study": ("docs/study.md", "study-*.json", study_table),
    "calibration": ("docs/calibration.md", "calibration-*.json", calibration_table),
}


def fill(text: str, name: str, made: str) -> str:
    """Return a document with what stands between the markers of a name replaced."""
    begin, end = f"<!-- {name}:begin -->", f"<!-- {name}:end -->"
    pattern = re.escape(begin) + ".*?" + re.escape(end)
    return re.sub(pattern, lambda _: f"{begin}\n{made}\n{end}", text, flags=re.DOTALL)


def main() -> None:
    """Fill every table whose results are there, and draw the pictures."""
    for name, (document, files, make) in TABLES.items():
        made = "\n\n".join(make(json.loads(p.read_text())) for p in sorted(RESULTS.glob(files)))
        if made:
            path = ROOT / document
            path.write_text(fill(path.read_text(), name, made))
    studies = sorted(RESULTS.glob("study-*.json"))
    if studies:
        draw_study(studies, ROOT / "docs" / "images" / "study.png")
    calibrations = sorted(RESULTS.glob("calibration-*.json"))
    if calibrations:
        draw_reliability(calibrations, ROOT / "docs" / "images" / "reliability.png")


if __name__ == "__main__":
    main()
