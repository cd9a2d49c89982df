"""A virtual environment for each system, created once."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
from pathlib import Path

from benchmarks.rivals.systems import Rival


class NotInstalledError(RuntimeError):
    """A system that pip could not install."""


def interpreter(name: str, rival: Rival, cache: Path) -> Path:
    """Return the Python of a system; its environment is created if it is missing."""
    if not rival.installs:
        return Path(sys.executable)
    key = hashlib.sha256(json.dumps([sys.version, rival.installs]).encode()).hexdigest()[:8]
    folder = cache / "environments" / f"{name}-{key}"
    python = folder / "bin" / "python"
    ready = folder / "ready"
    if ready.exists():
        return python
    _call([sys.executable, "-m", "venv", "--clear", str(folder)])
    for arguments in rival.installs:
        pip = [str(python), "-m", "pip", "install", "--disable-pip-version-check"]
        _call([*pip, *arguments])
    ready.touch()
    return python


def _call(command: list[str]) -> None:
    done = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    if done.returncode != 0:
        raise NotInstalledError(tail(done.stdout))


def tail(output: str, n_lines: int = 12) -> str:
    """Return the last lines of some output, without local paths.

    Examples
    --------
    >>> tail("see file:///a/b\\nError in /home/me/x/y.py: no", 1)
    'Error in y.py: no'
    """
    lines = [line.rstrip() for line in output.splitlines() if line.strip()]
    kept = [line for line in lines if not line.startswith("WARNING: Location")][-n_lines:]
    text = re.sub(r"\b\w+://\S+", "…", "\n".join(kept))
    return re.sub(r"(?<![\w.])(?:/[^\s/'\":,]+)+/([^\s/'\":,]+)", r"\1", text)
