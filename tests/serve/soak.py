"""A server under load, with reloads and killed workers: python -m tests.serve.soak --minutes 10.

Requests arrive at a fixed rate. The model file is replaced every second, and a worker is killed
every minute. Only requests on connections of a killed worker may fail.
"""

import argparse
import asyncio
import json
import os
import shutil
import signal
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

import labeltree as lt
from tests.serve.conftest import TAGS, TEXTS
from tests.serve.hostile import memory
from tests.serve.running import Running, running

_BODY = json.dumps({"text": "a cup of green tea with milk and rye bread", "k": 3}).encode()
_REQUEST = (
    b"POST /v1/tag HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    b"Content-Length: %d\r\n\r\n%s" % (len(_BODY), _BODY)
)
_CONNECTIONS = 32
_WARM_UP = 30.0  # seconds until memory has its size


@dataclass
class Tally:
    """What was seen."""

    milliseconds: list[float] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    n_cut: int = 0  # on connections of a killed worker
    n_reloads: int = 0
    n_kills: int = 0
    versions: set[str] = field(default_factory=set)
    memory: list[int] = field(default_factory=list)  # of all processes, in kB


class Soak:
    """A run against one server."""

    def __init__(self, server: Running, models: list[Path], target: Path, rate: float) -> None:
        self._server, self._models, self._target, self._rate = server, models, target, rate
        self.tally = Tally()
        self._end = 0.0

    async def run(self, seconds: float, kill_seconds: float) -> Tally:
        """Ask, replace and kill until the time is over."""
        self._end = time.monotonic() + seconds
        clients = [self._client(i) for i in range(_CONNECTIONS)]
        await asyncio.gather(*clients, self._replace(), self._kill(kill_seconds), self._weigh())
        return self.tally

    async def _client(self, number: int) -> None:
        """Ask over one connection, which is opened again when its worker has been killed."""
        gap = _CONNECTIONS / self._rate
        due = time.monotonic() + gap * number / _CONNECTIONS
        reader = writer = None
        while due < self._end:
            await asyncio.sleep(max(0.0, due - time.monotonic()))
            start = time.perf_counter()
            try:
                if writer is None:
                    reader, writer = await asyncio.open_connection(
                        self._server.host, self._server.port
                    )
                assert reader is not None
                writer.write(_REQUEST)
                head = await reader.readuntil(b"\r\n\r\n")
                length = int(head.lower().partition(b"content-length: ")[2].split()[0])
                content = await reader.readexactly(length)
                self._count(head, content, time.perf_counter() - start)
            except (ConnectionError, asyncio.IncompleteReadError):
                self.tally.n_cut += 1
                writer = None
            due += gap
        if writer is not None:
            writer.close()

    def _count(self, head: bytes, content: bytes, seconds: float) -> None:
        self.tally.milliseconds.append(seconds * 1e3)
        if not head.startswith(b"HTTP/1.1 200"):
            self.tally.failed.append(head[:40].decode("latin-1"))
        else:
            self.tally.versions.add(json.loads(content)["version"])

    async def _replace(self) -> None:
        while time.monotonic() < self._end:
            await asyncio.sleep(1.0)
            new = self._target.with_suffix(".new")
            shutil.copy(self._models[self.tally.n_reloads % len(self._models)], new)
            new.replace(self._target)
            self.tally.n_reloads += 1

    async def _kill(self, seconds: float) -> None:
        while time.monotonic() + seconds < self._end:
            await asyncio.sleep(seconds)
            os.kill(self._server.workers()[self.tally.n_kills % 2], signal.SIGKILL)
            self.tally.n_kills += 1

    async def _weigh(self) -> None:
        await asyncio.sleep(_WARM_UP)
        while time.monotonic() < self._end:
            self.tally.memory.append(sum(map(memory, self._server.workers())))
            await asyncio.sleep(5.0)


def growth(sizes: list[int]) -> float:
    """Return by how much the last fifth is above the first, by medians."""
    part = max(1, len(sizes) // 5)
    return float(np.median(sizes[-part:]) / np.median(sizes[:part]) - 1) if sizes else 0.0


def run(folder: Path, minutes: float, rate: float, kill_seconds: float) -> dict[str, object]:
    """Soak a new server of two workers; return the figures."""
    models = []
    for i in range(2):
        models.append(folder / f"model-{i}.lt")
        tags = [[*one, "food"] if i else one for one in TAGS]
        lt.TextTagger(n_jobs=1).fit(TEXTS, tags).save(models[-1])
    target = folder / "food.lt"
    shutil.copy(models[0], target)
    with running(folder, str(target), "--workers", "2", "--no-log-requests") as server:
        soak = Soak(server, models, target, rate)
        tally = asyncio.run(soak.run(minutes * 60, kill_seconds))
    times = np.array(tally.milliseconds)
    return {
        "n_requests": len(times),
        "rate": len(times) / (minutes * 60),
        "n_failed": len(tally.failed),
        "n_cut_by_kills": tally.n_cut,
        "n_kills": tally.n_kills,
        "n_reloads": tally.n_reloads,
        "n_versions": len(tally.versions),
        "p50_ms": float(np.percentile(times, 50)),
        "p99_ms": float(np.percentile(times, 99)),
        "memory_growth": growth(tally.memory),
    }


def main() -> int:
    """Soak a new server and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--rate", type=float, default=2_000.0, help="requests per second")
    parser.add_argument("--kill-seconds", type=float, default=60.0)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        figures = run(Path(folder), arguments.minutes, arguments.rate, arguments.kill_seconds)
    print(json.dumps(figures, indent=2))
    most_cut = _CONNECTIONS * int(str(figures["n_kills"]))
    is_good = (
        figures["n_failed"] == 0
        and int(str(figures["n_cut_by_kills"])) <= most_cut
        and float(str(figures["p99_ms"])) < 20
        and float(str(figures["memory_growth"])) < 0.05
    )
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
