"""Tables of systems side by side, of ratios, and the list of what we lose."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from benchmarks.markdown import table
from benchmarks.rivals.figures import COST, NOISE, OURS, QUALITY, Measure, done, is_ours

Figures = dict[str, Any]
_NONE = "–"


def _several(*keys: str, cell: str) -> Callable[[Figures], str]:
    def text(system: Figures) -> str:
        cells = [cell.format(system[key]) if key in system else _NONE for key in keys]
        return " / ".join(cells)

    return text


def _calibration(system: Figures) -> str:
    if "ECE@5" not in system:
        return _NONE
    return f"{system['ECE@5']:.1f}{'' if system['scores'] == 'probabilities' else ' *'}"


#: Header of each column, and what makes its cell of a system.
COLUMNS: dict[str, Callable[[Figures], str]] = {
    "train, CPU s": _several("train_cpu_s", cell="{:.1f}"),
    "memory over data, MB": _several("train_over_data_mb", cell="{:.0f}"),
    "model, MB": _several("model_mb", cell="{:.1f}"),
    "open, ms": lambda s: f"{1000 * s['open_s']:.1f}",
    "after 1,000 queries, MB": _several("resident_over_data_mb", cell="{:.0f}"),
    "batch on 1 / 2 threads, rows per s": _several(
        "batch_rows_per_s", "batch_rows_per_s_on_2", cell="{:,.0f}"
    ),
    "one row, µs p50 / p99": _several("single_p50_us", "single_p99_us", cell="{:,.0f}"),
    "P@1 / 3 / 5": _several("P@1", "P@3", "P@5", cell="{:.1f}"),
    "nDCG@5": _several("nDCG@5", cell="{:.1f}"),
    "PSP@1 / 3 / 5": _several("PSP@1", "PSP@3", "PSP@5", cell="{:.1f}"),
    "ECE@5": _calibration,
}


def rivals_table(results: dict[str, Any]) -> str:
    """Every system that was run, losses and failures too, data set by data set."""
    return "\n\n".join(_rivals_run(run) for run in results["runs"])


def _rivals_run(run: dict[str, Any]) -> str:
    rows = [[system["system"], *_cells(system)] for system in run["systems"]]
    return f"**{title(run)}**\n\n{table(['system', *COLUMNS], rows)}\n\n{_note(run)}"


def _cells(system: Figures) -> list[str]:
    if system["status"] == "ok":
        return [cell(system) for cell in COLUMNS.values()]
    return [why_not(system)] + [_NONE] * (len(COLUMNS) - 1)


def why_not(system: Figures) -> str:
    """Return in short why a system has no figures."""
    # The last line of a failure is what went wrong; the lines before say where.
    said = system["error"].splitlines()[-1] if system["error"] else ""
    said = said.replace("|", "/")
    return f"{system['status']}: {said[:100]}{'…' if len(said) > 100 else ''}"


def title(run: dict[str, Any]) -> str:
    """Return the sizes of a run in words."""
    return (
        f"{run['data']}: {run['n_rows']:,} rows, {run['n_features']:,} features, "
        f"{run['n_labels']:,} labels; {run['n_test_rows']:,} test rows; {run['threads']} thread"
        f"{'s' if run['threads'] > 1 else ''}"
    )


def _note(run: dict[str, Any]) -> str:
    ready = [system for system in run["systems"] if "version" in system]
    versions = dict.fromkeys(f"{system['package']} {system['version']}" for system in ready)
    machines = [system["machine"] for system in run["systems"]]
    processors = dict.fromkeys(f"{m['processor']}, {m['cores']} cores" for m in machines)
    ours = [s["machine"]["commit"] for s in run["systems"] if is_ours(s)]
    loads = [s[when] for s in run["systems"] for when in ("load_before", "load_after")]
    commits = f"Commit {', '.join(map(str, dict.fromkeys(ours)))}; " if ours else ""
    text = (
        f"{'; '.join(versions)}. {commits}{'; '.join(processors)}; "
        f"load average {min(loads):.1f} to {max(loads):.1f}; seed {run['seed']}."
    )
    kinds = {
        f"{system['package']}: {system['scores']}"
        for system in done(run)
        if "ECE@5" in system and system["scores"] != "probabilities"
    }
    if kinds:
        text += (
            f" \\* Its scores lie in 0..1 but are no probabilities ({'; '.join(sorted(kinds))})."
        )
    return text


def spreads_table(results: dict[str, Any]) -> str:
    """Median, least and most of every figure that was measured several times."""
    parts = []
    for run in results["runs"]:
        rows = []
        for system in done(run):
            cells = [_spread(system, measure) for measure in COST]
            rows.append([system["system"], *cells])
        header = ["median (least to most)", *(f"{m.name}, {_unit(m)}" for m in COST)]
        parts.append(f"**{title(run)}**\n\n{table(header, rows)}")
    return "\n\n".join(parts)


def _unit(measure: Measure) -> str:
    units = {"_s": "s", "_mb": "MB", "_us": "µs"}
    ends = (unit for end, unit in units.items() if measure.key.endswith(end))
    return "rows per s" if measure.more_is_better else next(ends)


def _spread(system: Figures, measure: Measure) -> str:
    if measure.key not in system:
        return _NONE
    text = f"{system[measure.key]:,.4g}" if system[measure.key] < 1000 else _whole(system, measure)
    least_most = system.get(f"{measure.key}_spread")
    if least_most is None:
        return text
    cell = "{:,.4g}" if least_most[1] < 1000 else "{:,.0f}"
    return f"{text} ({' to '.join(cell.format(value) for value in least_most)})"


def _whole(system: Figures, measure: Measure) -> str:
    return f"{system[measure.key]:,.0f}"


def ratios_table(results: dict[str, Any]) -> str:
    """How many times better each of our lines is than each rival, with P@k of both beside."""
    return "\n\n".join(
        _ratios(run, ours) for run in results["runs"] for ours in done(run) if is_ours(ours)
    )


def _ratios(run: dict[str, Any], ours: Figures) -> str:
    header = ["rival", "P@1 / 3 / 5", *(measure.name for measure in COST)]
    precision = COLUMNS["P@1 / 3 / 5"]
    rows = []
    for theirs in done(run):
        if not is_ours(theirs):
            leads = [measure.lead(ours, theirs) for measure in COST]
            cells = [_NONE if lead is None else f"{lead:,.3g} ×" for lead in leads]
            rows.append([theirs["system"], precision(theirs), *cells])
    name = f"**{run['data']}: {ours['system']}, {precision(ours)}**"
    return f"{name}\n\n{table(header, rows)}" if rows else f"{name}\n\nNo rival has figures here."


def losses_list(results: dict[str, Any]) -> str:
    """What a rival does better than our default, data set by data set."""
    return "\n".join(_losses(run) for run in results["runs"])


def _losses(run: dict[str, Any]) -> str:
    ours = next((s for s in done(run) if s["system"] == OURS), None)
    if ours is None:
        return f"- **{run['data']}**: not measured with our default."
    found = [text for m in (*QUALITY, *COST) if (text := ", ".join(_ahead(m, ours, run)))]
    lost = "; ".join(found) or "nothing"
    return f"- **{run['data']}**: {lost}."


def _ahead(measure: Measure, ours: Figures, run: dict[str, Any]) -> Iterator[str]:
    """Yield the rivals that are ahead of us in a measure, the first with its name."""
    ahead = []
    for theirs in done(run):
        lead = None if is_ours(theirs) else measure.lead(ours, theirs)
        if lead is None:
            continue
        if measure.is_share and lead <= -0.05:
            ahead.append((lead, f"{theirs['system']} by {-lead:.1f} points"))
        elif not measure.is_share and lead < 1 / (1 + NOISE):
            ahead.append((lead, f"{theirs['system']} {1 / lead:.2g} times"))
    for place, (_, text) in enumerate(sorted(ahead)):
        yield f"{measure.name}: {text}" if place == 0 else text
