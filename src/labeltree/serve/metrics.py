"""Figures for Prometheus, over all workers."""

from __future__ import annotations

import os
from functools import lru_cache
from typing import Any

# Read when prometheus_client is imported; see `workers`.
MULTIPROCESS = "PROMETHEUS_MULTIPROC_DIR"
_BUCKETS = (0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1.0, 5.0)


class Metrics:
    """Counts of requests, their times, and the state of models."""

    def __init__(self) -> None:
        import prometheus_client

        client: Any = prometheus_client  # its types do not allow shared arguments
        self._client = client
        self._registry = client.CollectorRegistry()
        own = {"registry": self._registry}
        self._requests = client.Counter(
            "labeltree_requests_total", "Requests by route and status", ["route", "status"], **own
        )
        self._seconds = client.Histogram(
            "labeltree_request_seconds",
            "Time from the end of the headers to the response",
            ["route"],
            buckets=_BUCKETS,
            **own,
        )
        self.texts = client.Counter("labeltree_texts_total", "Texts and rows answered", **own)
        self.feedback = client.Counter("labeltree_feedback_total", "Feedback written", **own)
        modes = {"multiprocess_mode": "livesum"}
        self.in_flight = client.Gauge(
            "labeltree_in_flight", "Requests being handled", **own, **modes
        )
        self.loaded = client.Gauge(
            "labeltree_model_loaded_timestamp_seconds",
            "When the model in use was loaded",
            ["model"],
            multiprocess_mode="liveall",
            **own,
        )
        self.reload_failures = client.Counter(
            "labeltree_reload_failures_total", "Model files that could not replace a model", **own
        )
        # Finding a counter by its labels takes longer than counting.
        self._children = lru_cache(1024)(self._find)

    def _find(self, route: str, status: int) -> tuple[Any, Any]:
        return self._requests.labels(route, str(status)), self._seconds.labels(route)

    def count(self, route: str, status: int, seconds: float) -> None:
        """Count a request."""
        requests, times = self._children(route, status)
        requests.inc()
        times.observe(seconds)

    def text(self) -> bytes:
        """Return all figures in Prometheus's text format."""
        registry = self._registry
        if MULTIPROCESS in os.environ:
            from prometheus_client import multiprocess

            registry = self._client.CollectorRegistry()
            multiprocess.MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        found: bytes = self._client.generate_latest(registry)
        return found
