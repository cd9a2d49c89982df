"""Tables of the accuracy of all systems, and of what effort and label weights change."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.markdown import at_ranks, table
from benchmarks.rivals.figures import OURS, Figures, done, is_ours
from benchmarks.rivals.tables import title, why_not

KS = (1, 3, 5)
Pairs = dict[str, tuple[str, str]]  # two systems by what their difference is called
_FOREST, _BONSAI = "omikuji, 3 trees (default)", "omikuji, Bonsai"
EFFORTS: Pairs = {
    "high effort over omikuji, 3 trees": ("labeltree, high effort", _FOREST),
    "best effort over omikuji, 3 trees": ("labeltree, best effort", _FOREST),
    "best effort over Bonsai": ("labeltree, best effort", _BONSAI),
}
RARE: Pairs = {
    "rare labels first": ("labeltree, rare labels first", OURS),
    "full label weights": ("labeltree, full label weights", OURS),
    "napkinXC, inverse propensities": ("napkinXC PLT, inverse propensities", "napkinXC PLT"),
}
KEYS_OF_PRECISION = tuple(f"P@{k}" for k in KS)


def _optional(name: str, digits: int) -> Callable[[Figures], str]:
    return lambda system: f"{system[name]:.{digits}f}" if name in system else "–"


def _lead(system: Figures) -> str:
    """Return by how many points the default is ahead, with two standard errors."""
    if "P@1_lead" not in system:
        return "–"
    return " / ".join(
        f"{system[f'P@{k}_lead']:+.1f} ± {2 * system[f'P@{k}_lead_se']:.1f}" for k in KS
    )


COLUMNS: dict[str, Callable[[Figures], str]] = {
    "P@1 / 3 / 5": lambda system: at_ranks([system[f"P@{k}"] for k in KS]),
    "the default's lead": _lead,
    "PSP@1 / 3 / 5": lambda system: at_ranks([system[f"PSP@{k}"] for k in KS]),
    "ECE@5": _optional("ECE@5", 1),
    "log loss at 5": _optional("log_loss@5", 3),
    "training, CPU s": lambda system: f"{system['train_cpu_s']:.1f}",
}


def accuracy_table(run: dict[str, Any]) -> str:
    """Return the table of one data set, with its commit and the systems without figures."""
    rows = [[s["system"], *(cell(s) for cell in COLUMNS.values())] for s in done(run)]
    commits = dict.fromkeys(s["machine"]["commit"] for s in run["systems"] if is_ours(s))
    notes = [f"labeltree at commit {', '.join(map(str, commits))}."] if commits else []
    if missing := [f"{s['system']} ({why_not(s)})" for s in run["systems"] if s["status"] != "ok"]:
        notes.append(f"No figures: {'; '.join(missing)}.")
    made = table(["system", *COLUMNS], rows)
    return "\n\n".join([f"**{title(run)}**", made, *([" ".join(notes)] if notes else [])])


def changes_table(runs: list[dict[str, Any]], pairs: Pairs, keys: tuple[str, ...]) -> str:
    """Return the points by which one system of each pair is ahead of the other."""
    rows = [[run["data"], *(_change(run, *pair, keys) for pair in pairs.values())] for run in runs]
    return table(["points", *pairs], rows)


def _change(run: dict[str, Any], one: str, other: str, keys: tuple[str, ...]) -> str:
    systems = {system["system"]: system for system in done(run)}
    if one not in systems or other not in systems:
        return "–"
    changes = [round(systems[one][key] - systems[other][key], 1) for key in keys]
    return " / ".join(f"{change + 0.0:+.1f}" for change in changes)  # without a minus before 0
