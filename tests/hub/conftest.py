"""A hub on loopback, to which processes of the tests talk."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import labeltree
from labeltree import TextTagger
from tests.fake_hub import FakeHub, running_hub

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def tagger() -> TextTagger:
    return TextTagger(n_jobs=1).fit(["green tea", "rye bread"] * 3, [["tea"], ["bread"]] * 3)


@pytest.fixture
def hub() -> Iterator[FakeHub]:
    pytest.importorskip("huggingface_hub")
    with running_hub() as made:
        yield made


@pytest.fixture
def run(hub: FakeHub, tmp_path: Path) -> Run:
    """Run Python in a process of its own, since huggingface_hub reads its endpoint at import."""
    source = str(Path(labeltree.__file__).resolve().parents[1])
    environment = {
        **{name: value for name, value in os.environ.items() if "proxy" not in name.lower()},
        "HF_ENDPOINT": hub.url,
        "HF_HOME": str(tmp_path / "hf"),
        "HF_TOKEN": "hf_token",
        "HF_HUB_DISABLE_TELEMETRY": "1",
        "HF_HUB_DISABLE_PROGRESS_BARS": "1",
        "PYTHONPATH": os.pathsep.join(filter(None, [os.environ.get("PYTHONPATH"), source])),
    }

    def run_python(*arguments: object, code: int = 0) -> subprocess.CompletedProcess[str]:
        words = [sys.executable, *map(str, arguments)]
        made = subprocess.run(
            words, env=environment, cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert made.returncode == code, made.stderr
        return made

    return run_python
