"""Run the soak: `python -m tests.soak --minutes 60 --kill-every 180`."""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from tests.soak.life import CHUNK, live
from tests.soak.watch import Watched

MAX_GROWTH = 1.05
_TICK = 0.2  # seconds between two looks


def main() -> int:
    """Run both processes, print the summary and write it as JSON; 1 if a promise is broken."""
    arguments = _parser().parse_args()
    if arguments.life is not None:
        live(arguments.life, arguments.rate)
    with tempfile.TemporaryDirectory(prefix="labeltree-soak-") as folder:
        killed = Watched("killed", Path(folder, "killed.lt"), arguments.rate)
        control = Watched("control", Path(folder, "control.lt"), arguments.rate)
        try:
            _watch(killed, control, arguments)
        finally:
            for process in (killed, control):
                process.kill()
    summary = _summary(killed, control, arguments.warm_up_rows)
    arguments.output.mkdir(parents=True, exist_ok=True)
    (arguments.output / "soak.json").write_text(json.dumps(summary, indent=1) + "\n")
    print(json.dumps({name: value for name, value in summary.items() if name != "memory"}))
    for problem in summary["problems"]:
        print(f"problem: {problem}")
    return 1 if summary["problems"] else 0


def _watch(killed: Watched, control: Watched, arguments: argparse.Namespace) -> None:
    """Look at both until time is up, and kill the first one at random moments."""
    rng = random.Random(arguments.seed)
    end = time.monotonic() + arguments.minutes * 60
    control.start()
    while time.monotonic() < end:
        killed.start()
        kill_at = time.monotonic() + arguments.kill_every * rng.uniform(0.5, 1.5)
        in_save = rng.random() < 0.5
        while time.monotonic() < min(kill_at, end):
            killed.look()
            control.look()
            time.sleep(_TICK)
        if in_save:
            killed.await_save(limit=30.0)
            time.sleep(rng.uniform(0, 0.02))
        killed.kill()
        killed.check_file()


def _summary(killed: Watched, control: Watched, warm_up: int) -> dict[str, Any]:
    common = sorted(killed.chunks.keys() & control.chunks.keys())
    n_differing = sum(killed.chunks[first] != control.chunks[first] for first in common)
    problems = [*killed.problems, *control.problems]
    precision = {process.name: process.precision(common) for process in (killed, control)}
    if n_differing:
        problems.append(f"{n_differing} chunks of rows have other predictions than without kills")
    if killed.n_differing:
        problems.append(f"{killed.n_differing} chunks of rows have other predictions when repeated")
    if not common:
        problems.append("there is nothing to compare")
    growth = {}
    for process in (killed, control):
        growth[process.name] = process.growth(warm_up)
        if growth[process.name] >= MAX_GROWTH:
            problems.append(f"{process.name}: memory has grown to {growth[process.name]:.3f}")
    return {
        "n_lives": len(killed.lives),
        "n_saves": killed.n_saves,
        "n_rows": {process.name: len(process.chunks) * CHUNK for process in (killed, control)},
        "n_replayed": killed.n_replayed * CHUNK,
        "n_compared": len(common) * CHUNK,
        "n_differing": n_differing * CHUNK,
        "n_differing_when_replayed": killed.n_differing * CHUNK,
        "precision": precision,
        "growth": growth,
        "memory": {process.name: process.lives for process in (killed, control)},
        "problems": problems,
    }


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--kill-every", type=float, default=180.0, help="seconds")
    parser.add_argument("--rate", type=float, help="rows per second (default: as fast as possible)")
    parser.add_argument("--warm-up-rows", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--output", type=Path, default=Path("build/soak"))
    parser.add_argument("--life", type=Path, help=argparse.SUPPRESS)
    return parser


if __name__ == "__main__":
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    sys.exit(main())
