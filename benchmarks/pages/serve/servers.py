"""Servers of all systems: how they are trained, started and asked."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

RIVALS = ("annif[omikuji]==1.4.3", "fastapi==0.162.4", "uvicorn[standard]==0.54.0")
_PLAIN = Path(__file__).parent / "plain.py"
_PUNKT = ("collocations.tab", "sent_starters.txt", "abbrev_types.txt", "ortho_context.tab")
_ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "RAYON_NUM_THREADS": "1"}
K = 5


@dataclass(frozen=True)
class System:
    """A system: its commands, and its requests and answers for one text."""

    train: list[list[str]]
    serve: list[str]  # without the port
    path: str
    content_type: str
    body: Callable[[str], str]
    labels: Callable[[Any], list[str]]  # of an answer, best first
    environment: Mapping[str, str] = field(default_factory=dict)


def systems(folder: Path, python: Path) -> dict[str, System]:
    """Return all systems; `folder` has train.tsv, vocab.tsv, train.jsonl and projects.cfg."""
    annif = [str(python), "-m", "annif.cli"]
    uvicorn = [str(python), "-m", "uvicorn", "--no-access-log", "--log-level", "warning"]
    mine = [sys.executable, "-m", "labeltree"]
    return {
        "labeltree serve": System(
            [[*mine, "train", "train.jsonl", "-o", "docs.lt", "--no-holdout", "--n-jobs", "1"]],
            [*mine, "serve", "docs.lt", "--no-log-requests"],
            "/v1/tag",
            "application/json",
            lambda text: json.dumps({"text": text, "k": K}),
            lambda answer: [one["label"] for one in answer["results"][0]],
        ),
        "Annif, omikuji backend": System(
            [
                [*annif, "load-vocab", "-L", "en", "v", "vocab.tsv"],
                [*annif, "train", "--jobs", "1", "om", "train.tsv"],
            ],
            [*uvicorn, "--factory", "annif:create_app"],
            "/v1/projects/om/suggest",
            "application/x-www-form-urlencoded",
            lambda text: urlencode({"text": text, "limit": K}),
            lambda answer: [one["label"] for one in answer["results"]],
            {"NLTK_DATA": str(python.parent.parent / "nltk_data")},
        ),
        "FastAPI over omikuji": System(
            [[str(python), str(_PLAIN), "train", "."]],
            [*uvicorn, "--app-dir", str(_PLAIN.parent), "plain:app"],
            "/tag",
            "application/json",
            lambda text: json.dumps({"text": text, "k": K}),
            lambda answer: [one["label"] for one in answer],
            {"PLAIN_FOLDER": str(folder)},
        ),
    }


def environment(cache: Path) -> Path:
    """Return the Python of an environment with the rivals."""
    folder = cache / "environment"
    python = folder / "bin" / "python"
    if not (folder / "ready").exists():
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(folder)], check=True)
        pip = [str(python), "-m", "pip", "install", "-q", "--disable-pip-version-check"]
        subprocess.run([*pip, *RIVALS], check=True)
        # Annif's tokenizer requires data of the sentence tokenizer, which is not used here.
        words = folder / "nltk_data" / "tokenizers" / "punkt_tab" / "english"
        words.mkdir(parents=True)
        for name in _PUNKT:
            (words / name).touch()
        (folder / "ready").touch()
    return python


def trained(system: System, folder: Path) -> float:
    """Train a system on one thread and return the CPU seconds, with opening files and imports."""
    before = os.times()
    for command in system.train:
        done = subprocess.run(
            command, cwd=folder, env=_environment(system), capture_output=True, check=False
        )
        if done.returncode != 0:
            raise RuntimeError(f"{command[1:]}: {done.stderr[-2000:].decode()}")
    after = os.times()
    return after.children_user + after.children_system - before[2] - before[3]


def _environment(system: System) -> dict[str, str]:
    return {**os.environ, **_ONE_THREAD, **system.environment}


class Server:
    """A running server."""

    def __init__(self, process: subprocess.Popen[bytes], port: int) -> None:
        self.process, self.address = process, f"http://127.0.0.1:{port}"

    def processes(self) -> list[int]:
        """Return the server's process and its children."""
        path = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        return [self.process.pid, *map(int, path.read_text().split())]

    def cpu_seconds(self) -> float:
        """Return the CPU seconds that all processes have taken so far."""
        ticks = 0
        for pid in self.processes():
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            ticks += int(fields[11]) + int(fields[12])
        return ticks / os.sysconf("SC_CLK_TCK")

    def memory(self) -> float:
        """Return the memory of all processes in MB; what several share counts once."""
        kilobytes = 0
        for pid in self.processes():
            lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
            kilobytes += sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
        return kilobytes / 1024


@contextmanager
def started(
    system: System, folder: Path, *options: str, cores: set[int] | None = None
) -> Iterator[Server]:
    """Start a server, on the given cores, and end it afterwards."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [*system.serve, "--port", str(port), *options],
        cwd=folder,
        env=_environment(system),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    if cores is not None:
        os.sched_setaffinity(process.pid, cores)
    try:
        _wait(process, port)
        yield Server(process, port)
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(30)


def _wait(process: subprocess.Popen[bytes], port: int) -> None:
    for _ in range(600):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        if process.poll() is not None:
            break
        time.sleep(0.1)
    raise RuntimeError(f"the server ended or does not listen on port {port}")
