"""Write tables and pictures of README and docs from raw results: python -m benchmarks.report"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from benchmarks.features import features_table
from benchmarks.markdown import fill, table
from benchmarks.online.page import online_tables
from benchmarks.rivals import pictures
from benchmarks.rivals.pictures import PICTURES
from benchmarks.rivals.tables import losses_list, ratios_table, rivals_table, spreads_table
from benchmarks.scale_page import scale_pictures, scale_tables

ROOT = Path(__file__).parent.parent
IMAGES = ROOT / "docs" / "images"
RESULTS = ROOT / "benchmarks" / "results"


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
        rows_of = f", {chosen[0]['rows']:,} training rows" if "rows" in chosen[0] else ""
        title = f"{chosen[0]['data']}{rows_of}: {question}"
        parts.append(f"**{title}**\n\n{table(['choice', *STUDY_COLUMNS], rows)}")
    return "\n\n".join(parts)


STUDY_MARKS = {"auto": "*", "blend": "o", "kmeans": "s", "cheapest": "^", "huffman": "v"}


def draw_study(files: list[Path], target: Path) -> None:
    """Draw accuracy against training time, a panel for each data set."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 4.2 * ((len(files) + 1) // 2)), layout="constrained")
    for i, path in enumerate(files):
        axes = figure.add_subplot((len(files) + 1) // 2, 2, i + 1)
        rows = json.loads(path.read_text())["results"]
        for kind, mark in STUDY_MARKS.items():
            of_kind = [
                row
                for row in rows
                if kind in row["choice"] and row["question"] in ("trees", "widths", "forests")
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
    "link (4, 1.5)": "tab:red",
    "link (4, 1.5), fixed curve: default": "tab:blue",
    "link (4, 1.5), isotonic curve": "tab:green",
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
    "losses": ("README.md", "rivals-*.json", losses_list),
    "ratios": ("docs/rivals.md", "rivals-*.json", ratios_table),
    "spreads": ("docs/rivals.md", "rivals-*.json", spreads_table),
    "study": ("docs/study.md", "study-*.json", study_table),
    "features": ("docs/study.md", "features.json", features_table),
    "scale": ("docs/scale.md", "scale.json", scale_tables),
    "online": ("docs/online.md", "online.json", online_tables),
    "calibration": ("docs/calibration.md", "calibration-*.json", calibration_table),
}


def read_all(pattern: str) -> list[Any]:
    """Return what the files of results hold."""
    return [json.loads(path.read_text()) for path in sorted(RESULTS.glob(pattern))]


def main() -> None:
    """Fill every table whose results are there, and draw the pictures."""
    for name, (document, pattern, make) in TABLES.items():
        # Lists of one data set after the other belong together; tables stand apart.
        between = "\n" if make is losses_list else "\n\n"
        made = between.join(make(results) for results in read_all(pattern))
        if made:
            path = ROOT / document
            path.write_text(fill(path.read_text(), name, made))
    studies = sorted(RESULTS.glob("study-*.json"))
    if studies:
        draw_study(studies, IMAGES / "study.png")
    runs = [run for results in read_all("rivals-*.json") for run in results["runs"]]
    for file, key, words in PICTURES if runs else ():
        pictures.draw(runs, key, words).savefig(IMAGES / file, dpi=110)
    for results in read_all("scale.json"):
        for file, figure in scale_pictures(results):
            figure.savefig(IMAGES / file, dpi=110)
    calibrations = sorted(RESULTS.glob("calibration-*.json"))
    if calibrations:
        draw_reliability(calibrations, IMAGES / "reliability.png")


if __name__ == "__main__":
    main()
