"""The parent of the workers: it counts, notices crashes and hangs, and starts workers again."""

from __future__ import annotations

import json
import mmap
import multiprocessing
import os
import re
import shutil
import signal
import tempfile
import time
from dataclasses import dataclass, field
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any

from tests.fuzz.verdicts import Finding
from tests.fuzz.worker import ANSWERED, NOTE, REFUSED, Fuzzer, is_sanitized, memory_limit, work

HANG_SECONDS = 5.0
_SLOWER = 4.0  # factor of the limit under a sanitizer
_WALL = 12  # a case without CPU time hangs after this many times the limit
_MANY = 1 << 60  # cases, if nothing but time ends a run
_POLL = 0.25  # seconds
_SUMMARY = re.compile(r"SUMMARY: (.*)|(\S+: runtime error: .*)|(.*Assertion .* failed.*)")
_NATIVE = re.compile(r"#\d+ 0x\w+ in (.+?) (\S*/(?:core|bind)/\S+?:\d+)")


@dataclass
class Tally:
    """What a run has seen."""

    name: str
    seed: int
    n_cases: int = 0
    outcomes: dict[str, int] = field(default_factory=dict)
    findings: dict[tuple[str, str], dict[str, Any]] = field(default_factory=dict)

    def count(self, counts: dict[str, int]) -> None:
        """Add the cases of a worker."""
        for outcome, n_cases in counts.items():
            self.outcomes[outcome] = self.outcomes.get(outcome, 0) + n_cases
            self.n_cases += n_cases

    def add(self, number: int, found: Finding, folder: Path, kept: Path) -> None:
        """Record a finding and keep the files of the first one of its kind and place."""
        self.n_cases += 1
        key = (found.kind, found.place)
        if key in self.findings:
            self.findings[key]["n_cases"] += 1
            return
        target = kept / f"{self.name}-{self.seed}-{number}"
        shutil.rmtree(target, ignore_errors=True)
        if folder.exists():
            shutil.copytree(folder, target)
        target.mkdir(parents=True, exist_ok=True)
        (target / "report.txt").write_text(f"{found.message}\n\n{found.report}")
        self.findings[key] = {
            "kind": found.kind,
            "place": found.place,
            "message": found.message,
            "replay": f"python -m tests.fuzz {self.name} --seed {self.seed} --replay {number}",
            "kept": str(target),
            "n_cases": 1,
        }
        print(f"finding: {found.kind} at {found.place} in case {number}: {found.message:.200}")

    def line(self, seconds: float) -> str:
        """Return the counts in one line."""
        kinds: dict[str, int] = {}
        for found in self.findings.values():
            kinds[found["kind"]] = kinds.get(found["kind"], 0) + 1
        outcomes = ", ".join(f"{n:,} {name}" for name, n in sorted(self.outcomes.items()))
        places = ", ".join(f"{n} {kind}" for kind, n in sorted(kinds.items())) or "none"
        return (
            f"{self.name}: {self.n_cases:,} cases in {seconds:.0f} s: {outcomes}; "
            f"findings: {places}"
        )


class Runner:
    """Runs a fuzzer in several workers until time or cases run out."""

    def __init__(self, fuzzer: Fuzzer, tally: Tally, *, jobs: int, output: Path) -> None:
        self.fuzzer, self.tally, self.output = fuzzer, tally, output
        shared = "/dev/shm" if Path("/dev/shm").is_dir() else None
        self.scratch = Path(tempfile.mkdtemp(prefix="labeltree-fuzz-", dir=shared))
        self.jobs, self.limit = jobs, HANG_SECONDS * (_SLOWER if is_sanitized() else 1)
        self.workers: list[_Worker] = []

    def run(self, seconds: float, count: int | None) -> None:
        """Run all cases; `count` limits their number."""
        end = time.monotonic() + seconds
        try:
            for i in range(self.jobs):
                numbers = range(i, _MANY if count is None else count, self.jobs)
                self.workers.append(_Worker(self, i, numbers))
            while self.workers and time.monotonic() < end:
                wait([worker.pipe for worker in self.workers], timeout=_POLL)
                for worker in list(self.workers):
                    self._look_at(worker)
        finally:
            for worker in self.workers:
                self._end(worker)
            shutil.rmtree(self.scratch, ignore_errors=True)

    def _kept(self) -> Path:
        return self.output / "findings"

    def _look_at(self, worker: _Worker) -> None:
        worker.receive(self.tally, self._kept())
        is_alive = worker.process.is_alive()
        found = worker.stuck(self.limit) if is_alive else worker.dead()
        if found is None and is_alive:
            return
        self._end(worker)
        self.workers.remove(worker)
        if found is not None:
            self.tally.add(worker.number, found, worker.folder, self._kept())
            rest = range(worker.number + self.jobs, worker.numbers.stop, self.jobs)
            self.workers += [_Worker(self, worker.index, rest)] if rest else []

    def _end(self, worker: _Worker) -> None:
        worker.stop()
        worker.receive(self.tally, self._kept())
        self.tally.count(worker.counts)

    def write(self, seconds: float) -> None:
        """Write the summary as JSON."""
        self.output.mkdir(parents=True, exist_ok=True)
        tally = self.tally
        summary = {
            "fuzzer": tally.name,
            "seed": tally.seed,
            "seconds": round(seconds, 1),
            "sanitized": is_sanitized(),
            "n_cases": tally.n_cases,
            "outcomes": tally.outcomes,
            "findings": list(tally.findings.values()),
        }
        (self.output / f"{tally.name}.json").write_text(json.dumps(summary, indent=1) + "\n")


class _Worker:
    """One forked process and what the parent knows of it."""

    def __init__(self, runner: Runner, index: int, numbers: range) -> None:
        self.index, self.numbers = index, numbers
        self.folder = runner.scratch / f"worker-{index}"
        self.note = mmap.mmap(-1, mmap.PAGESIZE)
        NOTE.pack_into(self.note, 0, numbers.start, 0.0, 0, 0)
        context = multiprocessing.get_context("fork")
        self.pipe, sender = context.Pipe(duplex=False)
        arguments = (runner.fuzzer, runner.tally.seed, numbers, self.note, sender, self.folder)
        self.process = context.Process(target=_pinned_work, args=(index, *arguments), daemon=True)
        self.process.start()
        sender.close()
        self._seen = (-1, time.monotonic())

    @property
    def number(self) -> int:
        """The case that the worker runs or died in."""
        return int(NOTE.unpack_from(self.note)[0])

    @property
    def counts(self) -> dict[str, int]:
        """The number of cases that were refused and answered."""
        return dict(zip((REFUSED, ANSWERED), NOTE.unpack_from(self.note)[2:], strict=True))

    def receive(self, tally: Tally, kept: Path) -> None:
        """Take all messages that have arrived."""
        try:
            while self.pipe.poll():
                number, found = self.pipe.recv()
                tally.add(number, found, self.folder.with_name(f"case-{number}"), kept)
        except (EOFError, OSError):
            pass

    def dead(self) -> Finding | None:
        """Return how the process died; None if it is done."""
        self.process.join()
        code = self.process.exitcode
        if code == 0:
            return None
        log = self.folder.with_suffix(".log").read_text(errors="replace")
        name = signal.Signals(-code).name if code is not None and code < 0 else f"exit {code}"
        return Finding("crash", _crash_place(log) or name, name, log[:6000] + log[6000:][-2000:])

    def stuck(self, limit: float) -> Finding | None:
        """Return a finding if the case takes too long or too much memory."""
        number, cpu_before, *_ = NOTE.unpack_from(self.note)
        if self._seen[0] != number:
            self._seen = (number, time.monotonic())
        try:
            cpu, megabytes = _cpu_and_megabytes(self.process.pid)
        except (OSError, ValueError, IndexError):  # it has just ended
            return None
        if megabytes > 8 * memory_limit() + 1024:
            return Finding("memory", "resident", f"{megabytes} MB", self._stack())
        wall = time.monotonic() - self._seen[1]
        if (cpu_before and cpu - cpu_before > limit) or wall > _WALL * limit:
            stack = self._stack()
            own = re.findall(r'File ".*?/labeltree/(\S+)", line \d+ in (\w+)', stack)
            place = ":".join(own[0]) if own else "unknown"
            seconds = f"{cpu - cpu_before:.1f} CPU s, {wall:.1f} s"
            return Finding("hang", place, seconds, stack)
        return None

    def _stack(self) -> str:
        os.kill(self.process.pid or 0, signal.SIGUSR1)
        time.sleep(0.5)
        return self.folder.with_suffix(".log").read_text(errors="replace")[-6000:]

    def stop(self) -> None:
        """End the process."""
        if self.process.is_alive():
            os.kill(self.process.pid or 0, signal.SIGKILL)
        self.process.join()


def _pinned_work(index: int, *arguments: Any) -> None:
    """Work on one core, which is what `n_jobs=None` then stands for."""
    if hasattr(os, "sched_setaffinity"):
        cores = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, {cores[index % len(cores)]})
    work(*arguments)


def _cpu_and_megabytes(pid: int | None) -> tuple[float, int]:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    ticks = int(fields[11]) + int(fields[12])
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    megabytes = pages * os.sysconf("SC_PAGE_SIZE") >> 20
    return ticks / os.sysconf("SC_CLK_TCK"), megabytes


def _crash_place(log: str) -> str:
    """Return the innermost native function of the project and what a sanitizer says."""
    summary = _SUMMARY.search(log)
    native = _NATIVE.search(log)
    said = next((part for part in summary.groups() if part), "") if summary else ""
    return " ".join(part for part in (said[:160], native.group(1)[:80] if native else "") if part)
