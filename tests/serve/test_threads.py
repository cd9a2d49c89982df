"""The threads that answer long requests."""

import asyncio
from pathlib import Path
from typing import Any

from labeltree.serve.app import App
from labeltree.serve.service import Service
from labeltree.serve.settings import Settings


def test_all_threads_run_before_the_first_request(text_file: Path) -> None:
    service = Service.open({"food": str(text_file)}, Settings(log_requests=False))
    n_threads = []

    async def sent(message: dict[str, Any]) -> None:
        if message["type"] == "lifespan.startup.complete":
            n_threads.append(len(service.threads._threads))

    async def received() -> dict[str, str]:
        return {"type": "lifespan"}

    asyncio.run(App(service)({"type": "lifespan"}, received, sent))
    assert n_threads == [service.threads._max_workers] == [4]
