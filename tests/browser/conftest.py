"""A real browser. Only `make test-browser` runs these tests."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browser.servers import Server, save_tagger

_SECONDS = 30  # before a test gives up, on a busy machine
_BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Return a headless Chromium; end with what to install if there is none."""
    if "LABELTREE_TEST_BROWSER" not in os.environ:
        pytest.skip("tests in a browser are run by make test-browser")
    path = next(filter(None, map(shutil.which, _BROWSERS)), None)
    if path is None:
        pytest.exit("no Chromium found; on Debian: apt install chromium-headless-shell", 1)
    playwright = pytest.importorskip("playwright.sync_api", reason="pip install playwright")
    playwright.expect.set_options(timeout=_SECONDS * 1000)
    with playwright.sync_playwright() as running:
        made = running.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield made
        made.close()


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("served")


@pytest.fixture(scope="session")
def feedback(folder: Path) -> Path:
    return folder / "feedback.jsonl"


@pytest.fixture(scope="session")
def server(browser: Any, folder: Path, feedback: Path) -> Iterator[Server]:
    """Return a server of one tagger that takes feedback."""
    running = Server(save_tagger(folder / "drinks.lt"), f"--feedback={feedback}")
    yield running
    running.stop()


@pytest.fixture
def serve(browser: Any) -> Iterator[Callable[..., Server]]:
    """Return what starts another server, which ends with the test."""
    started: list[Server] = []

    def start(*arguments: str, port: int = 0) -> Server:
        started.append(Server(*arguments, port=port))
        return started[-1]

    yield start
    for one in started:
        one.stop()


@pytest.fixture
def open_page(browser: Any) -> Iterator[Callable[..., Any]]:
    """Return what opens a page. It may not fail, nor ask for anything from elsewhere."""
    mistakes: list[str] = []
    opened = []

    def start(server: Server, **options: Any) -> Any:
        page = browser.new_page(**options)
        page.set_default_timeout(_SECONDS * 1000)
        page.on("pageerror", lambda error: mistakes.append(str(error)))
        page.on(
            "console", lambda said: mistakes.append(said.text) if said.type == "error" else None
        )
        page.on("request", lambda asked: _check_address(asked.url, server.address, mistakes))
        page.goto(server.page)
        opened.append(page)
        return page

    yield start
    for page in opened:
        page.close()
    # Refused requests are shown by the page; the browser notes them here, too.
    assert [one for one in mistakes if "Failed to load resource" not in one] == []


def _check_address(url: str, address: str, mistakes: list[str]) -> None:
    if not url.startswith(address):
        mistakes.append(f"request to {url}")


@pytest.fixture
def page(open_page: Callable[..., Any], server: Server) -> Any:
    return open_page(server)
