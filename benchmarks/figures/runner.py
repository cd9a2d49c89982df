"""Running parts one after the other, each in a process of its own."""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import subprocess
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks.figures import record
from benchmarks.figures.checkout import Checkout
from benchmarks.figures.claims import claimed
from benchmarks.figures.parts import Part

_GRACE_S = 20.0  # seconds that an interrupted part has to end its own processes
_POLL_S = 0.5  # seconds until files that other runs have claimed are tried again
_TAIL = 2000  # characters of the output of a part that failed
_VERSIONS = """
import json, platform
from importlib.metadata import distributions
versions = {one.metadata["Name"]: one.version for one in distributions()}
print(json.dumps({"python": platform.python_version(), **dict(sorted(versions.items()))}))
"""
#: Packages whose versions are stored.
_STORED = ("python", "labeltree", "numpy", "scipy", "scikit-learn", "ray", "torch")


@dataclass
class Summary:
    """What became of the parts of a run."""

    done: list[str] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)
    not_run: dict[str, str] = field(default_factory=dict)
    is_interrupted: bool = False


def run_parts(
    parts: Sequence[Part],
    checkout: Checkout,
    data: Path,
    results: Path,
    *,
    why_not: Callable[[Part], str | None] = lambda part: None,
    more: Callable[[Part], Sequence[str]] = lambda part: (),
    say: Callable[[str], None] = print,
) -> Summary:
    """Run the parts that have no result of the commit, and keep each result when it is there.

    A part that fails is reported and the next one runs. An interrupt ends the part in flight, whose
    result is lost, and the run. Several runs may share the parts: each leaves out what another one
    has measured, and comes back later to parts whose results file another one has claimed.
    """
    summary = Summary()
    queue = deque(_to_measure(parts, checkout, results, why_not, summary, say))
    n_parts, n_claimed = len(queue), 0
    try:
        while queue:
            part = queue[0]
            with claimed(checkout.claims, part.file) as is_free:
                if is_free:
                    n_claimed = 0
                    if not _skip_if_done(part, checkout, results, summary):
                        say(f"[{n_parts - len(queue) + 1}/{n_parts}] {_about(queue, results)}")
                        _measure(part, checkout, data, results, more(part), summary, say)
                    queue.popleft()
                    continue
            queue.rotate(-1)
            n_claimed += 1
            if n_claimed % len(queue) == 0:
                time.sleep(_POLL_S)
    except KeyboardInterrupt:
        summary.is_interrupted = True
        say(f"interrupted: the part in flight is lost, {len(summary.done)} parts are kept")
    return summary


def _to_measure(
    parts: Sequence[Part],
    checkout: Checkout,
    results: Path,
    why_not: Callable[[Part], str | None],
    summary: Summary,
    say: Callable[[str], None],
) -> list[Part]:
    """Return the parts to measure, and report those that cannot run."""
    waiting = []
    for part in parts:
        if _skip_if_done(part, checkout, results, summary):
            continue
        if (reason := why_not(part)) is not None:
            summary.not_run[part.name] = reason
            say(f"not run: {part.name}: {reason}")
        else:
            waiting.append(part)
    return waiting


def _skip_if_done(part: Part, checkout: Checkout, results: Path, summary: Summary) -> bool:
    """Report a part that has a result of the commit as skipped; return whether it has one."""
    is_done = record.is_done(part, checkout.commit, results)
    if is_done:
        summary.skipped.append(part.name)
    return is_done


def _about(queue: Sequence[Part], results: Path) -> str:
    minutes = [record.minutes(part, results) for part in queue]
    return f"{queue[0].name}: about {duration(minutes[0])}, {duration(sum(minutes))} left"


def _measure(
    part: Part,
    checkout: Checkout,
    data: Path,
    results: Path,
    more: Sequence[str],
    summary: Summary,
    say: Callable[[str], None],
) -> None:
    """Measure a part, and report how long it took or why it failed."""
    try:
        run = measured(part, checkout, data, results, more)
    except (RuntimeError, OSError) as error:
        summary.failed[part.name] = str(error)
        say(f"failed: {part.name}: {error}")
        return
    summary.done.append(part.name)
    load = " to ".join(f"{value:.1f}" for value in run["load"])
    say(
        f"    {duration(run['seconds'] / 60)}, {duration(run['cpu_seconds'] / 60)} of CPU "
        f"time, load {load}"
    )


def duration(minutes: float) -> str:
    """Return minutes as text.

    Examples
    --------
    >>> [duration(minutes) for minutes in (0.25, 7, 150)]
    ['15 s', '7 min', '2 h 30 min']
    """
    if minutes < 1:
        return f"{60 * minutes:.0f} s"
    if minutes < 120:
        return f"{minutes:.0f} min"
    return f"{minutes // 60:.0f} h {minutes % 60:.0f} min"


def measured(
    part: Part, checkout: Checkout, data: Path, results: Path, more: Sequence[str] = ()
) -> dict[str, Any]:
    """Run a part in the checkout, keep its result, and return what is known of the run."""
    own = checkout.results / part.file
    own.parent.mkdir(parents=True, exist_ok=True)
    if (results / part.file).exists():  # of other runs of the same file
        shutil.copyfile(results / part.file, own)
    log = checkout.source.parent / "logs" / f"{part.name.replace(' ', '-')}.txt"
    log.parent.mkdir(parents=True, exist_ok=True)
    load, start, cpu = os.getloadavg()[0], time.monotonic(), _cpu_seconds()
    command = [str(checkout.python), *part.command(data), *more]
    with log.open("w") as output:
        status = _call(command, checkout, output)
    if status != 0:
        raise RuntimeError(f"status {status}, {log} ends with\n{log.read_text()[-_TAIL:]}")
    run = {
        "commit": checkout.commit,
        "when": datetime.now(UTC).isoformat(timespec="seconds"),
        "seconds": round(time.monotonic() - start, 1),
        "cpu_seconds": round(_cpu_seconds() - cpu, 1),
        "load": [round(load, 2), round(os.getloadavg()[0], 2)],
        "cores": os.cpu_count(),
        "versions": versions(checkout.python),
    }
    record.take_over(part, checkout.results, results, run)
    return run


def _call(command: list[str], checkout: Checkout, output: Any) -> int:
    # A session of its own, so that all processes of a part can be interrupted together.
    process = subprocess.Popen(
        command,
        cwd=checkout.source,
        env=checkout.environment(),
        stdout=output,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    try:
        return process.wait()
    except BaseException:
        _end(process)
        raise


def _end(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is not None:
        return
    os.killpg(process.pid, signal.SIGINT)
    try:
        process.wait(_GRACE_S)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _cpu_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def versions(python: Path) -> dict[str, str]:
    """Return the versions of Python and of the packages that matter."""
    done = subprocess.run(
        [str(python), "-c", _VERSIONS], capture_output=True, text=True, check=True
    )
    found: dict[str, str] = json.loads(done.stdout)
    return {name: found[name] for name in _STORED if name in found}
