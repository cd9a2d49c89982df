"""What the parent knows of a process: its predictions, its saves and its memory."""

from __future__ import annotations

import json
import os
import signal
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import labeltree as lt
from tests.soak.life import CHUNK

_EDGE = 0.2  # share of a life at its end whose memory counts
_STALL = 120.0  # seconds without a line


class Watched:
    """A process that is started, looked at and killed again and again."""

    def __init__(self, name: str, model: Path, rate: float | None) -> None:
        self.name, self.model, self.rate = name, model, rate
        self.chunks: dict[int, tuple[list[int], str]] = {}
        self.lives: list[list[tuple[int, int]]] = []  # (rows learned, kilobytes) at each look
        self.problems: list[str] = []
        self.n_saves = self.n_replayed = self.n_differing = self._n_saved = self._n_rows = 0
        self._process: subprocess.Popen[bytes] | None = None
        self._rest, self._is_saving, self._last = b"", False, time.monotonic()

    def start(self) -> None:
        """Start a process that goes on from the model file."""
        words = [sys.executable, "-m", "tests.soak", "--life", str(self.model)]
        words += [] if self.rate is None else ["--rate", str(self.rate)]
        self._process = subprocess.Popen(words, stdout=subprocess.PIPE)
        assert self._process.stdout is not None
        os.set_blocking(self._process.stdout.fileno(), False)
        self.lives.append([])
        self._n_rows = 0
        self._rest, self._is_saving, self._last = b"", False, time.monotonic()

    def look(self) -> None:
        """Read what the process has said, and its memory."""
        self._read()
        process = self._process
        assert process is not None
        if process.poll() is not None:
            self.problems.append(f"{self.name}: ended by itself with code {process.returncode}")
            self.start()
        elif time.monotonic() - self._last > _STALL:
            self.problems.append(f"{self.name}: said nothing for {_STALL:.0f} s")
            self._last = time.monotonic()
        else:
            self.lives[-1].append((self._n_rows, _kilobytes(process.pid)))

    def _read(self) -> None:
        assert self._process is not None
        assert self._process.stdout is not None
        data = self._process.stdout.read() or b""
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            self._last = time.monotonic()
            self._hear(json.loads(line))

    def _hear(self, said: dict[str, Any]) -> None:
        if "saved" in said:
            self._n_saved, self._is_saving = said["saved"], False
            self.n_saves += 1
        elif "saving" in said:
            self._is_saving = True
        else:
            first, found = said["first"], (said["hits"], said["digest"])
            self._n_rows = first + CHUNK
            if first in self.chunks:
                self.n_replayed += 1
                self.n_differing += self.chunks[first] != found
            self.chunks[first] = found

    def await_save(self, limit: float) -> None:
        """Wait for the next save to begin."""
        end = time.monotonic() + limit
        self._read()
        self._is_saving = False
        while not self._is_saving and time.monotonic() < end:
            self._read()
            time.sleep(0.0005)

    def kill(self) -> None:
        """Kill the process and read what it said before."""
        if self._process is None or self._process.poll() is not None:
            return
        os.kill(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._read()

    def check_file(self) -> None:
        """Check that the model file is whole and has what was saved."""
        if not self.model.exists():
            if self._n_saved:
                self.problems.append(f"{self.name}: the model is gone")
            return
        n_rows = lt.load(self.model).classifier_.n_rows_
        if n_rows < self._n_saved:
            self.problems.append(f"{self.name}: {self._n_saved} rows saved, but {n_rows} found")

    def growth(self, warm_up: int) -> float:
        """Return the largest ratio of memory at the end of a life to that after its warm-up.

        The end of each life is also compared with that of the first one.
        """
        ratios, ends = [1.0], []
        for life in self.lives:
            warm = [size for n_rows, size in life if n_rows >= warm_up]
            warm = warm[len(warm) // 10 :]  # a process that has just started still loads pages
            n_edge = int(len(warm) * _EDGE)
            if n_edge < 5:
                continue
            ends.append(statistics.median(warm[-n_edge:]))
            ratios.append(ends[-1] / statistics.median(warm[:n_edge]))
        return max([*ratios, *(end / ends[0] for end in ends)])

    def precision(self, chunks: list[int]) -> dict[str, float]:
        """Return P@1 and P@3 of the given chunks, predicted before they were learned."""
        n_rows = max(len(chunks) * CHUNK, 1)
        sums = [sum(self.chunks[first][0][i] for first in chunks) for i in (0, 1)]
        return {"P@1": sums[0] / n_rows, "P@3": sums[1] / (3 * n_rows)}


def _kilobytes(pid: int) -> int:
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") // 1024
