"""Speed and memory of `labeltree predict` on lines of text."""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import cycle, islice
from pathlib import Path

from benchmarks.markdown import table
from benchmarks.pages.places import Place, Record, Table, measured_on
from labeltree import TextTagger
from labeltree.datasets import python_docs

MINUTES = 0.4
MINUTES_FROM = "CPU time, measured once"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the measurement."""
    parser.add_argument("--lines", type=int, default=100_000)


def measure(asked: argparse.Namespace) -> Iterator[Record]:
    """Yield seconds, CPU seconds and peak memory of the pipe, and of the library on one batch."""
    docs = python_docs(packages=["numpy", "scipy", "sklearn"])
    tagger = TextTagger().fit(docs.texts, docs.tags)
    lines = list(islice(cycle(" ".join(text.split()) for text in docs.texts), asked.lines))
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder, "model.lt")
        tagger.save(model)
        for n in (asked.lines // 10, asked.lines):
            yield _record(f"pipe, {n:,} lines", n, *piped(lines[:n], model))
    start, begun = time.perf_counter(), time.process_time()
    tagger.tag(lines)
    took, cpu = time.perf_counter() - start, time.process_time() - begun
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    yield _record(f"library, {asked.lines:,} texts", asked.lines, took, cpu, peak)


def piped(lines: list[str], model: Path) -> tuple[float, float, int]:
    """Return wall seconds, CPU seconds and peak kB of the command, including its start."""
    words = [sys.executable, "-m", "labeltree.cli", "predict", str(model)]
    source = model.with_name("lines.txt")
    source.write_text("".join(f"{line}\n" for line in lines))
    start, peak = time.perf_counter(), 0
    with source.open() as stdin:
        process = subprocess.Popen(words, stdin=stdin, stdout=subprocess.DEVNULL)
    # The operating system counts the memory of the parent as that of a child that starts, so the
    # peak is read from the program itself while it runs.
    while not (done := os.wait4(process.pid, os.WNOHANG))[0]:
        peak = max(peak, _peak(process.pid))
        time.sleep(0.1)
    process.returncode = os.waitstatus_to_exitcode(done[1])
    if process.returncode:
        raise RuntimeError(f"labeltree predict failed with exit code {process.returncode}")
    return time.perf_counter() - start, done[2].ru_utime + done[2].ru_stime, peak


def _peak(pid: int) -> int:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next((int(line.split()[1]) for line in lines if line.startswith("VmHWM:")), 0)


def _record(name: str, n: int, took: float, cpu: float, peak: int) -> Record:
    return {
        "data": name,
        "wall_s": round(took, 1),
        "cpu_s": round(cpu, 1),
        "lines_per_s": round(n / took),
        "lines_per_cpu_s": round(n / cpu),
        "peak_mb": round(peak / 1024),
    }


def page(records: list[Record]) -> Iterator[Place]:
    """Yield the table."""
    columns = ("cpu_s", "lines_per_cpu_s", "peak_mb")
    rows = [[record["data"], *(f"{record[key]:,}" for key in columns)] for record in records]
    header = ["", "CPU s", "lines per CPU s", "peak memory, MB"]
    yield Table("pipe", f"{table(header, rows)}\n\n{measured_on(records, 'all cores')}")
