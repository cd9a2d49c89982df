"""Load from wrk, and the CPU time of the server under it."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.pages.serve.servers import Server

# Requests are made once. A delay that is drawn from an exponential distribution makes arrivals
# independent of answers, as far as connections are free.
_SCRIPT = """
local requests, i, mean = {}, 0, tonumber(os.getenv("DELAY_MS"))
function init()
  wrk.method = "POST"
  wrk.headers["Content-Type"] = os.getenv("CONTENT_TYPE")
  for line in io.lines(os.getenv("BODIES")) do
    requests[#requests + 1] = wrk.format(nil, nil, nil, line)
  end
end
function request() i = i % #requests + 1; return requests[i] end
if mean > 0 then
  function delay() return math.floor(0.5 - math.log(1 - math.random()) * mean) end
end
function done(summary, latency)
  local e = summary.errors
  io.write(string.format(
    'RESULT {"n": %d, "seconds": %f, "p50_ms": %f, "p99_ms": %f, "n_failed": %d}\\n',
    summary.requests, summary.duration / 1e6, latency:percentile(50) / 1e3,
    latency:percentile(99) / 1e3, e.connect + e.read + e.write + e.status + e.timeout))
end
"""


def load(
    server: Server,
    path: str,
    content_type: str,
    bodies: Sequence[str],
    *,
    seconds: float = 10.0,
    n_connections: int = 16,
    rate: float | None = None,
    cores: set[int] | None = None,
) -> dict[str, Any]:
    """Send requests for some seconds, as fast as they are answered, or at a mean rate.

    Returns rate, CPU time per request of the server, latencies, and the share of a core that wrk
    itself took.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "load.lua").write_text(_SCRIPT)
        (folder / "bodies").write_text("".join(f"{body}\n" for body in bodies))
        delay = 0.0 if rate is None else 1e3 * n_connections / rate
        settings = {
            "BODIES": str(folder / "bodies"),
            "CONTENT_TYPE": content_type,
            "DELAY_MS": str(delay),
        }
        command = ["wrk", "-t1", f"-c{n_connections}", f"-d{seconds:.0f}s", "--timeout", "10s"]
        before, children = server.cpu_seconds(), os.times()
        done = subprocess.run(
            [*command, "-s", str(folder / "load.lua"), server.address + path],
            env={**os.environ, **settings},
            capture_output=True,
            text=True,
            check=True,
            preexec_fn=None if cores is None else lambda: os.sched_setaffinity(0, cores),
        )
        taken, after = server.cpu_seconds() - before, os.times()
    line = next(line for line in done.stdout.splitlines() if line.startswith("RESULT"))
    found = json.loads(line.removeprefix("RESULT "))
    of_wrk = after.children_user + after.children_system - children[2] - children[3]
    return {
        "requests_per_s": round(found["n"] / found["seconds"]),
        "cpu_us": round(1e6 * taken / max(found["n"], 1), 1),
        "p50_ms": round(found["p50_ms"], 2),
        "p99_ms": round(found["p99_ms"], 2),
        "n_failed": found["n_failed"],
        "wrk_cores": round(of_wrk / found["seconds"], 2),
    }
