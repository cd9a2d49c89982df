"""How fast lines go through `labeltree predict`, and how much memory that takes.

python -m benchmarks.pipe [--lines 100000]
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from itertools import cycle, islice
from pathlib import Path

from labeltree import TextTagger
from labeltree.datasets import python_docs


def main() -> None:
    """Print seconds, CPU seconds and peak memory of the pipe, and of the library on one batch."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lines", type=int, default=100_000)
    n_lines = parser.parse_args().lines
    docs = python_docs(packages=["numpy", "scipy", "sklearn"])
    tagger = TextTagger().fit(docs.texts, docs.tags)
    lines = list(islice(cycle(" ".join(text.split()) for text in docs.texts), n_lines))
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder, "model.lt")
        tagger.save(model)
        for n in (n_lines // 10, n_lines):
            _tell(f"pipe, {n:,} lines", n, *_piped(lines[:n], model))
    start, begun = time.perf_counter(), time.process_time()
    tagger.tag(lines)
    took, cpu = time.perf_counter() - start, time.process_time() - begun
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    _tell(f"library, {n_lines:,} texts", n_lines, took, cpu, peak)


def _piped(lines: list[str], model: Path) -> tuple[float, float, int]:
    """Return wall and CPU seconds and peak kB of the command, its start included."""
    words = [sys.executable, "-m", "labeltree.cli", "predict", str(model)]
    source = model.with_name("lines.txt")
    source.write_text("".join(f"{line}\n" for line in lines))
    start, peak = time.perf_counter(), 0
    with source.open() as stdin:
        process = subprocess.Popen(words, stdin=stdin, stdout=subprocess.DEVNULL)
    # What the operating system counts for a child starts with the memory of its parent, so ask for
    # the peak of the program itself while it runs.
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


def _tell(name: str, n: int, took: float, cpu: float, peak: int) -> None:
    print(
        f"{name}: {took:.1f} s, {cpu:.1f} CPU s, {n / took:,.0f} a second, "
        f"{n / cpu:,.0f} a CPU second, at most {peak / 1024:.0f} MB"
    )


if __name__ == "__main__":
    main()
