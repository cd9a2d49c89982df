"""A server in processes of its own, for tests."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

_ADDRESS = re.compile(r"at http://([^:/]+):(\d+)/(?:#token=(\S+))?")


class Running:
    """A running server."""

    def __init__(self, process: subprocess.Popen[str], log: Path) -> None:
        self.process, self._log = process, log
        assert process.stdout is not None
        match = _ADDRESS.search(process.stdout.readline())
        assert match is not None, log.read_text()
        self.host, self.port, self.token = match[1], int(match[2]), match[3]
        self.url = f"http://{self.host}:{self.port}"
        self._wait()

    def _wait(self) -> None:
        for _ in range(200):
            try:
                httpx.get(f"{self.url}/ready")
                return
            except httpx.TransportError:
                time.sleep(0.05)
        raise TimeoutError(self.log)

    @property
    def log(self) -> str:
        """What the server has logged."""
        return self._log.read_text()

    def workers(self) -> list[int]:
        """The processes that answer."""
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text()
        return [int(child) for child in children.split()]

    def change(self, path: str, json: object = None) -> httpx.Response:
        """Send a request that needs the token."""
        headers = {"Authorization": f"Bearer {self.token}"}
        return httpx.post(self.url + path, json=json, headers=headers)

    def stop(self) -> int:
        """End the server by SIGTERM and return its exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(20)


@contextmanager
def running(folder: Path, *arguments: str) -> Iterator[Running]:
    """Start a server on any free port; end it afterwards."""
    log = folder / "server.log"
    command = [sys.executable, "-m", "labeltree", "serve", "--port", "0", *arguments]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    with log.open("w") as errors:
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=errors, text=True, env=environment
        )
    try:
        yield Running(process, log)
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
        assert process.stdout is not None
        process.stdout.close()
