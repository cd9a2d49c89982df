"""Tables that compare systems, and the list of figures in which another system is better."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from benchmarks.markdown import at_ranks, table
from benchmarks.rivals.figures import (
    COST,
    NOISE,
    OURS,
    QUALITY,
    Figures,
    Measure,
    done,
    is_ours,
)
from benchmarks.rivals.kept import kept_names

#: Rows of labeltree on the page of benchmarks; the others are in the results.
SHOWN = (
    OURS,
    "labeltree, 8-bit weights",
    "labeltree, 2-means tree",
    "labeltree, high effort",
    "labeltree, best effort",
)


def _optional(key: str, style: str) -> Callable[[Figures], str]:
    return lambda system: f"{system[key]:{style}}" if key in system else "–"


#: Header of each column, and the function that formats its cells.
COLUMNS: dict[str, Callable[[Figures], str]] = {
    "training, CPU s": lambda system: f"{system['train_cpu_s']:.1f}",
    "memory, MB": lambda system: f"{system['train_over_data_mb']:,.0f}",
    "P@1 / 3 / 5": lambda system: at_ranks([system[f"P@{k}"] for k in (1, 3, 5)]),
    "rows per CPU s": lambda system: f"{system['batch_rows_per_cpu_s']:,}",
    "one row, µs": _optional("single_p50_us", ",.0f"),
    "p99, µs": _optional("single_p99_us", ",.0f"),
    "open, ms": lambda system: f"{1000 * system['open_s']:,.1f}" if "open_s" in system else "–",
    "model, MB": lambda system: f"{system['model_mb']:.1f}",
}


def rivals_table(run: dict[str, Any]) -> str:
    """Return the table of one data set; systems without figures are listed below it."""
    shown = [s for s in done(run) if not is_ours(s) or s["system"] in SHOWN]
    rows = [[system["system"], *(cell(system) for cell in COLUMNS.values())] for system in shown]
    return f"**{title(run)}**\n\n{table(['system', *COLUMNS], rows)}\n\n{' '.join(_notes(run))}"


def why_not(system: Figures) -> str:
    """Return a short reason why a system has no figures."""
    # The last line of a traceback is the error.
    said = system["error"].splitlines()[-1] if system["error"] else ""
    said = said.replace("|", "/")
    return f"{system['status']}: {said[:100]}{'…' if len(said) > 100 else ''}"


def title(run: dict[str, Any]) -> str:
    """Return the sizes of a run as text."""
    return (
        f"{run['data']}: {run['n_rows']:,} rows, {run['n_features']:,} features, "
        f"{run['n_labels']:,} labels; {run['n_test_rows']:,} test rows"
    )


def _notes(run: dict[str, Any]) -> Iterator[str]:
    """Yield commit and machine of a run, the spread of trainings, and systems without figures."""
    commits = dict.fromkeys(s["machine"]["commit"] for s in run["systems"] if is_ours(s))
    processors = dict.fromkeys(s["machine"]["processor"] for s in run["systems"])
    loads = [s[when] for s in run["systems"] for when in ("load_before", "load_after")]
    text = f"Commit {', '.join(map(str, commits))}; " if commits else ""
    yield text + f"{', '.join(processors)}, load average {min(loads):.1f} to {max(loads):.1f}."
    spreads = [
        f"{s['system']} {s['P@1_spread'][0]:.1f} to {s['P@1_spread'][1]:.1f}"
        for s in done(run)
        if "P@1_spread" in s
    ]
    if spreads:
        yield f"P@1 of several trainings: {'; '.join(spreads)}."
    if older := kept_names(done(run)):
        yield f"Kept from an earlier run: {'; '.join(older)}."
    if missing := [f"{s['system']} ({why_not(s)})" for s in run["systems"] if s["status"] != "ok"]:
        yield f"No figures: {'; '.join(missing)}."


def losses_list(runs: list[dict[str, Any]], measures: Sequence[Measure] = (*QUALITY, *COST)) -> str:
    """Return the figures in which another system beats the default, by data set."""
    return "\n".join(_losses(run, measures) for run in runs)


def _losses(run: dict[str, Any], measures: Sequence[Measure]) -> str:
    ours = next((s for s in done(run) if s["system"] == OURS), None)
    if ours is None:
        return f"- **{run['data']}**: not measured with our default."
    if all(is_ours(system) for system in done(run)):
        return f"- **{run['data']}**: no other system was measured."
    found = [text for m in measures if (text := ", ".join(_ahead(m, ours, run)))]
    lost = "; ".join(found) or "nothing"
    return f"- **{run['data']}**: {lost}."


def _paired(measure: Measure, ours: Figures, theirs: Figures) -> float | None:
    """Return the mean lead over the same rows if it is known, and that of the figures otherwise."""
    known = theirs.get(f"{measure.key}_lead")
    return measure.lead(ours, theirs) if known is None else float(known)


def _ahead(measure: Measure, ours: Figures, run: dict[str, Any]) -> Iterator[str]:
    """Yield the systems that are better in a figure, the first with the name of the figure."""
    ahead = []
    for theirs in done(run):
        lead = None if is_ours(theirs) else _paired(measure, ours, theirs)
        if lead is None:
            continue
        if measure.is_share and lead < -measure.noise(theirs):
            ahead.append((lead, f"{theirs['system']} by {-lead:.1f} points"))
        elif not measure.is_share and lead < 1 / (1 + NOISE):
            ahead.append((lead, f"{theirs['system']} {1 / lead:.2g} times"))
    for place, (_, text) in enumerate(sorted(ahead)):
        yield f"{measure.name}: {text}" if place == 0 else text
