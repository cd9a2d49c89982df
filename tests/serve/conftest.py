"""A small model of texts, one of numeric features, and clients of both."""

import asyncio
import os
from collections.abc import Iterator
from pathlib import Path

import httpx
import numpy as np
import pytest

import labeltree as lt
from labeltree.serve.app import App
from labeltree.serve.served import Models
from labeltree.serve.service import Service
from labeltree.serve.settings import Settings

TEXTS = ["green tea", "black tea with milk", "rye bread", "white bread with butter", "milk"] * 4
TAGS = [["tea"], ["tea", "milk"], ["bread"], ["bread", "butter"], ["milk"]] * 4
TOKEN = "a-token"


@pytest.fixture(scope="session")
def text_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of a model of texts."""
    path = tmp_path_factory.mktemp("models") / "food.lt"
    lt.TextTagger(n_jobs=1, ngram_range=(1, 2)).fit(TEXTS, TAGS).save(path)
    return path


@pytest.fixture(scope="session")
def row_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of a model of three numeric features."""
    path = tmp_path_factory.mktemp("models") / "rows.lt"
    X = np.eye(3)[[0, 1, 2] * 5]
    lt.PLTClassifier(n_jobs=1).fit(X, [["a"], ["b"], ["c", "a"]] * 5).save(path)
    return path


class Client:
    """Requests to an application without a network."""

    def __init__(self, app: App) -> None:
        self.app, self.service = app, app.service

    def ask(self, method: str, path: str, **options: object) -> httpx.Response:
        """Send one request."""

        async def send() -> httpx.Response:
            transport = httpx.ASGITransport(self.app, raise_app_exceptions=True)
            async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as one:
                return await one.request(method, path, **options)  # type: ignore[arg-type]

        return asyncio.run(send())

    def get(self, path: str, **options: object) -> httpx.Response:
        return self.ask("GET", path, **options)

    def post(self, path: str, json: object = None, **options: object) -> httpx.Response:
        return self.ask("POST", path, json=json, **options)

    def change(self, path: str, json: object = None) -> httpx.Response:
        """Send a request that needs the token."""
        return self.post(path, json, headers={"Authorization": f"Bearer {TOKEN}"})


def make_client(files: dict[str, Path], token: str = "", **settings: object) -> Client:
    """Return a client of a new application."""
    models = Models({name: os.fspath(path) for name, path in files.items()})
    made = Settings(log_requests=False, **settings)  # type: ignore[arg-type]
    return Client(App(Service(models, made, token, page_token=TOKEN)))


@pytest.fixture
def client(text_file: Path, row_file: Path, tmp_path: Path) -> Iterator[Client]:
    """A client of an application with both models that takes feedback."""
    files = {"food": text_file, "rows": row_file}
    made = make_client(files, feedback=str(tmp_path / "feedback.jsonl"))
    yield made
    made.service.threads.shutdown()
