"""Measure labeltree and other systems on the same rows.

    python -m benchmarks.rivals --data DATA/eurlex-4k DATA/tib-gnd --systems labeltree omikuji \\
        --threads 1 --test-rows 5000 --output benchmarks/results/rivals-eurlex-4k.json

A folder holds X.trn.npz, Y.trn.npz, X.tst.npz and Y.tst.npz; without one, EURLex-4K is downloaded.
Rows are scaled to unit length and written once in the format of each system, which is not timed.
"""

from __future__ import annotations

import argparse
import json
import math
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks.machine import machine
from benchmarks.rivals.figures import OURS
from benchmarks.rivals.kept import TOGETHER, may_keep
from benchmarks.rivals.measure import measure
from benchmarks.rivals.paired import KeptHits
from benchmarks.rivals.prepare import EURLEX, SEED, Prepared, prepare
from benchmarks.rivals.systems import RIVALS, SYSTEMS, chosen


def options(arguments: list[str] | None = None) -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.rivals",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--data", nargs="+", default=[EURLEX], help="folders, or eurlex-4k")
    parser.add_argument(
        "--systems",
        nargs="+",
        default=list(RIVALS),
        help=f"all, or of {', '.join(RIVALS)}, or by name: {'; '.join(s.name for s in SYSTEMS)}",
    )
    parser.add_argument(
        "--threads", type=int, default=1, help="number of threads for training and prediction"
    )
    parser.add_argument("--repeats", type=int, default=3, help="repeats of short phases")
    parser.add_argument(
        "--test-rows", type=int, help="number of test rows, drawn at random (default: all)"
    )
    parser.add_argument(
        "--timeout", type=float, default=900, help="time limit per system in seconds"
    )
    parser.add_argument("--cache", type=Path, default=Path("build/rivals"))
    parser.add_argument("--output", type=Path, help="JSON file to write")
    parser.add_argument(
        "--update", action="store_true", help="keep other systems and data sets in the JSON file"
    )
    parser.add_argument(
        "--keep-others",
        action="store_true",
        help="with --update: keep systems other than labeltree that were measured on this machine "
        f"in this version and with these settings, except {' and '.join(TOGETHER)}, whose times "
        "are compared with labeltree's",
    )
    return parser.parse_args(arguments)


def find_run(results: dict[str, Any], data: Prepared, threads: int) -> dict[str, Any]:
    """Return the run for this data and number of threads, added if it is missing."""
    facts = data.facts() | {"threads": threads, "seed": SEED}
    for run in results["sets"]:
        if all(run[name] == value for name, value in facts.items()):
            found: dict[str, Any] = run
            return found
    results["sets"].append(facts | {"systems": []})
    added: dict[str, Any] = results["sets"][-1]
    return added


def keep(run: dict[str, Any], figures: dict[str, Any]) -> None:
    """Replace the figures of a system, and keep systems in the order of the list."""
    order = {system.name: place for place, system in enumerate(SYSTEMS)}
    others = [old for old in run["systems"] if old["system"] != figures["system"]]
    run["systems"] = sorted([*others, figures], key=lambda s: order.get(s["system"], len(order)))


def update_leads(run: dict[str, Any], hits: KeptHits) -> None:
    """Set the leads over all systems whose hits are known.

    Older leads stay if the hits of labeltree are not known: then it was not measured again.
    """
    for system in run["systems"]:
        if hits.has(OURS):
            for name in [name for name in system if "_lead" in name]:
                del system[name]
        system |= hits.leads(OURS, system["system"])


def line(data: str, figures: dict[str, Any]) -> str:
    """Return the main figures as one line."""
    start = f"{data:16s} {figures['system']:28s} "
    if figures["status"] != "ok":
        return f"{start}{figures['status']}: {figures['error']}"
    return start + (
        f"train {figures['train_cpu_s']:8.2f} CPU s {figures['train_over_data_mb']:7.0f} MB  "
        f"model {figures['model_mb']:7.1f} MB  {figures['batch_rows_per_cpu_s']:7d} rows/CPU s  "
        f"p50 {figures.get('single_p50_us', math.nan):6.0f} µs  "
        f"P@1/3/5 {figures['P@1']:.1f}/{figures['P@3']:.1f}/{figures['P@5']:.1f}"
    )


def main(arguments: list[str] | None = None) -> None:
    """Measure the chosen systems; results are written after each one."""
    asked = options(arguments)
    systems = chosen(asked.systems)
    cache = asked.cache.resolve()
    cache.mkdir(parents=True, exist_ok=True)
    results: dict[str, Any] = {"sets": []}
    if asked.update and asked.output.exists():
        results = json.loads(asked.output.read_text())
        results.pop("runs", None)  # what benchmarks.figures knows of the figures that are replaced
    for source in asked.data:
        data = prepare(source, cache, asked.test_rows)
        run = find_run(results, data, asked.threads)
        one_run = {"run": datetime.now(UTC).isoformat(timespec="seconds")}
        for system in systems:
            measured_on = machine()
            if asked.keep_others and may_keep(system, run, data, measured_on):
                continue
            figures = measure(
                system,
                data,
                threads=asked.threads,
                timeout_s=asked.timeout,
                cache=cache,
                repeats=asked.repeats,
            )
            keep(run, figures | one_run | {"machine": measured_on})
            update_leads(run, data.hits)
            print(line(data.name, figures), flush=True)
            if asked.output:
                asked.output.parent.mkdir(parents=True, exist_ok=True)
                text = json.dumps(results, indent=2, ensure_ascii=False)
                asked.output.write_text(text + "\n")


if __name__ == "__main__":
    main()
