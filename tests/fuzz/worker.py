"""The process that runs cases, and tells which one before it starts it."""

from __future__ import annotations

import faulthandler
import os
import resource
import shutil
import signal
import struct
import sys
import time
import warnings
from collections.abc import Iterator
from contextlib import chdir, contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Protocol

import numpy as np

from tests.fuzz.verdicts import Finding, judged

#: Number of the case, CPU seconds of the process when it began, and the numbers of cases that were
#: refused and answered before; in memory shared by both sides.
NOTE = struct.Struct("<qdqq")
REFUSED, ANSWERED = "refused", "answered"
_MEGABYTE = 1 << 20


class Fuzzer(Protocol):
    """A source of cases; made before workers are forked, so that they share what it holds."""

    def run(self, rng: np.random.Generator, folder: Path) -> str:
        """Run one case, which may write to the folder, and return "refused" or "answered"."""


def is_sanitized() -> bool:
    """Return whether the process runs under AddressSanitizer, which reserves terabytes."""
    return "asan" in os.environ.get("LD_PRELOAD", "")


def work(
    fuzzer: Fuzzer, seed: int, numbers: range, note: memoryview, pipe: Connection, folder: Path
) -> None:
    """Run the cases and send findings through the pipe."""
    _prepare(folder)
    counts = {REFUSED: 0, ANSWERED: 0}
    seen: set[tuple[str, str]] = set()
    for number in numbers:
        NOTE.pack_into(note, 0, number, time.process_time(), *counts.values())
        outcome = one_case(fuzzer, seed, number, folder)
        if not isinstance(outcome, Finding):
            counts[outcome] += 1
            continue
        if (outcome.kind, outcome.place) not in seen:
            seen.add((outcome.kind, outcome.place))
            shutil.copytree(folder, folder.with_name(f"case-{number}"))
        pipe.send((number, outcome))
    NOTE.pack_into(note, 0, numbers.stop, 0.0, *counts.values())


def one_case(fuzzer: Fuzzer, seed: int, number: int, folder: Path) -> str | Finding:
    """Run one case; it is a finding as well if it takes too much memory."""
    before = _peak_megabytes()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    try:
        with chdir(folder), _only_runtime_warnings():  # odd names of files stay in the folder
            outcome: str | Finding = fuzzer.run(np.random.default_rng([seed, number]), folder)
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:
        outcome = judged(error) or REFUSED
    grown = _peak_megabytes() - before
    if grown > memory_limit() and not isinstance(outcome, Finding):
        return Finding("memory", "peak", f"a case took {grown} MB", f"outcome: {outcome}")
    return outcome


def memory_limit() -> int:
    """Return the number of megabytes that one case may take."""
    return int(os.environ.get("FUZZ_MEGABYTES", "512"))


def _prepare(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    log = os.open(folder.with_suffix(".log"), os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND)
    os.dup2(log, 1)
    os.dup2(log, 2)
    if not is_sanitized():  # which reports crashes itself
        faulthandler.enable(file=sys.__stderr__)
    faulthandler.register(signal.SIGUSR1, file=sys.__stderr__, all_threads=True)
    if not is_sanitized():
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        limit = pages * resource.getpagesize() + 2 * memory_limit() * _MEGABYTE
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def _peak_megabytes() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


@contextmanager
def _only_runtime_warnings() -> Iterator[None]:
    """Let a RuntimeWarning fail, as it means NaN or overflow; others are meant for users."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", RuntimeWarning)
        yield
