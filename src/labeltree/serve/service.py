"""What handlers share: models, settings, metrics and the file of feedback."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

from labeltree.serve.feedback import FeedbackFile
from labeltree.serve.gate import Gate
from labeltree.serve.logs import log
from labeltree.serve.metrics import Metrics
from labeltree.serve.problems import RequestError
from labeltree.serve.served import Models
from labeltree.serve.settings import Settings

_N_THREADS = 4  # for long answers; kernels release the interpreter


class Service:
    """The state of one worker.

    Parameters
    ----------
    files
        Paths of model files by name; the first is the default.
    settings
        The settings.
    token
        Bearer token that every request needs; empty on this machine.
    page_token
        Token that changes need if there is no other.
    """

    def __init__(
        self, models: Models, settings: Settings, token: str = "", page_token: str = ""
    ) -> None:
        self.settings, self.models = settings, models
        self.gate = Gate(settings, token, page_token)
        self.metrics = Metrics()
        self.feedback = FeedbackFile(settings.feedback) if settings.feedback else None
        self.threads = ThreadPoolExecutor(_N_THREADS, thread_name_prefix="answer")
        self._tell({})

    @classmethod
    def open(cls, files: Mapping[str, str], settings: Settings, token: str = "") -> Service:
        """Return the service of model files."""
        return cls(Models(files), settings, token)

    def start_threads(self) -> None:
        """Start all threads, before the first request.

        A thread that is started while memory is short may die before its first line, and whoever
        starts it waits for it forever (python/cpython#140746).
        """
        all_run = Barrier(_N_THREADS)
        for waiting in [self.threads.submit(all_run.wait) for _ in range(_N_THREADS)]:
            waiting.result()

    def write_feedback(self, records: list[dict[str, Any]]) -> None:
        """Write records to the file of feedback; RequestError if the disk refuses."""
        assert self.feedback is not None
        try:
            self.feedback.append(records)
        except OSError as error:
            raise RequestError(507, f"feedback was not saved: {error.strerror}") from None
        self.metrics.feedback.inc(len(records))

    def reload(self, *, always: bool = False) -> None:
        """Load model files that were replaced, and tell what happened."""
        models = self.models
        before = {name: model.version for name, model in models.by_name.items()}
        errors, n_failures = dict(models.errors), models.n_failures
        models.reload(always=always)
        for _ in range(models.n_failures - n_failures):
            self.metrics.reload_failures.inc()
        for name, message in models.errors.items():
            if errors.get(name) != message:
                log("reload_failed", model=name, error=message)
        self._tell(before)

    def _tell(self, before: Mapping[str, str]) -> None:
        for name, model in self.models.by_name.items():
            if before.get(name) != model.version:
                self.metrics.loaded.labels(name).set(model.loaded)
                log("model_loaded", model=name, version=model.version)
