"""Processes of the server: one that listens and watches, and workers that answer.

Workers are forked after the models are loaded, so that they share their memory. A worker that dies
is replaced. SIGTERM and SIGINT end the server after the requests in flight.
"""

from __future__ import annotations

import gc
import os
import shutil
import signal
import socket
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from labeltree.serve.logs import log
from labeltree.serve.metrics import MULTIPROCESS
from labeltree.serve.served import Models
from labeltree.serve.settings import Settings

_BACKLOG = 2_048
_PAUSE = 1.0  # seconds before a worker is replaced that died at once
_SHORT_LIFE = 1.0


def listen(settings: Settings) -> socket.socket:
    """Return the socket that all workers accept connections from."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((settings.host, settings.port))
    except OSError as error:
        listener.close()
        address = f"{settings.host} port {settings.port}"
        raise OSError(f"cannot listen on {address}: {error.strerror}; set --port") from None
    listener.listen(_BACKLOG)
    listener.setblocking(False)
    return listener


def serve_worker(
    models: Models, settings: Settings, listener: socket.socket, token: str, page_token: str
) -> None:
    """Answer requests until SIGTERM or SIGINT."""
    import uvicorn

    from labeltree.serve.app import App
    from labeltree.serve.protocol import limited_protocol
    from labeltree.serve.service import Service

    app = App(Service(models, settings, token, page_token))
    config = uvicorn.Config(
        app,
        loop="uvloop" if sys.platform != "win32" else "asyncio",
        http=limited_protocol(settings),
        ws="none",
        lifespan="on",
        log_config=None,
        log_level="critical",
        access_log=False,
        server_header=False,
        date_header=False,
        proxy_headers=False,
        backlog=_BACKLOG,
        timeout_keep_alive=int(settings.keep_alive_seconds),
        timeout_graceful_shutdown=max(1, int(settings.shutdown_seconds)),
    )
    uvicorn.Server(config).run(sockets=[listener])


class Supervisor:
    """Keeps a number of workers alive until a signal ends the server.

    Parameters
    ----------
    jobs
        What each process does, by name; a job that ends is started again.
    seconds
        Time that processes have to end after a signal.
    """

    def __init__(self, jobs: Mapping[str, Callable[[], None]], seconds: float) -> None:
        self._jobs, self._seconds = jobs, seconds
        self._running: dict[int, tuple[str, float]] = {}  # name and start by process
        self._is_ending = False

    def run(self) -> int:
        """Start all jobs and wait; return the exit code."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._end)
        gc.freeze()  # so that collections do not copy shared pages
        for name in self._jobs:
            self._start(name)
        while self._running:
            try:
                process, status = os.wait()
            except InterruptedError:
                continue
            except ChildProcessError:
                break
            self._ended(process, status)
        return 0

    def _start(self, name: str) -> None:
        process = os.fork()
        if process == 0:
            code = 1
            try:
                for number in (signal.SIGTERM, signal.SIGINT):
                    signal.signal(number, signal.SIG_DFL)
                self._jobs[name]()
                code = 0
            except KeyboardInterrupt:
                code = 0
            except BaseException as error:  # the process must end here, whatever happens
                log("worker_failed", kind=type(error).__name__, error=str(error)[:300])
            finally:
                os._exit(code)
        self._running[process] = name, time.monotonic()

    def _ended(self, process: int, status: int) -> None:
        name, start = self._running.pop(process, ("", 0.0))
        if not name or self._is_ending:
            return
        log("worker_ended", worker=name, process=process, code=os.waitstatus_to_exitcode(status))
        if MULTIPROCESS in os.environ:
            from prometheus_client import multiprocess

            multiprocess.mark_process_dead(process)  # type: ignore[no-untyped-call]
        if time.monotonic() - start < _SHORT_LIFE:
            time.sleep(_PAUSE)
        if not self._is_ending:
            self._start(name)

    def _end(self, *_: Any) -> None:
        if not self._is_ending:
            self._is_ending = True
            signal.signal(signal.SIGALRM, self._kill)
            signal.alarm(int(self._seconds) + 2)
        self._signal(signal.SIGTERM)

    def _kill(self, *_: Any) -> None:
        self._signal(signal.SIGKILL)

    def _signal(self, number: signal.Signals) -> None:
        for process in list(self._running):
            with suppress(ProcessLookupError):
                os.kill(process, number)


def run_workers(jobs: Mapping[str, Callable[[], None]], settings: Settings) -> int:
    """Run the processes of a server; the figures of all workers are in one folder."""
    folder = tempfile.mkdtemp(prefix="labeltree-metrics-")
    os.environ[MULTIPROCESS] = folder
    # Imported here, so that workers share it, but after the variable is set.
    import labeltree.serve.app
    import labeltree.serve.protocol  # noqa: F401

    try:
        return Supervisor(jobs, settings.shutdown_seconds).run()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.environ.pop(MULTIPROCESS, None)
