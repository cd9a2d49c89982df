"""Run the guide as it stands, and write down what its commands print.

python -m benchmarks.guide
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

GUIDE = Path(__file__).parent.parent / "docs" / "guide.md"
_BLOCK = re.compile(r"```(python|console)\n(.*?)```", re.DOTALL)
_WIDTH = 118


def run_guide(text: str, folder: Path) -> str:
    """Return the guide with what its commands print now; all run in one folder.

    Raises
    ------
    subprocess.CalledProcessError, RuntimeError
        If a command fails or complains.
    """
    names: dict[str, Any] = {}

    def answered(block: re.Match[str]) -> str:
        kind, content = block.groups()
        if kind == "python":
            with contextlib.chdir(folder), contextlib.redirect_stdout(io.StringIO()):
                exec(compile(content, str(GUIDE), "exec"), names)
            return block.group()
        commands = [line for line in content.splitlines() if line.startswith("$ ")]
        return f"```console\n{''.join([_run(line, folder) for line in commands])}```"

    return _BLOCK.sub(answered, text)


def _run(line: str, folder: Path) -> str:
    # labeltree is beside the interpreter that runs this.
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", line[2:]],
        cwd=folder,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    if done.stderr:  # head hides the exit code of what is before it
        raise RuntimeError(f"{line}: {done.stderr}")
    printed = [
        said if len(said) <= _WIDTH else said[: _WIDTH - 1] + "…"
        for said in done.stdout.splitlines()
    ]
    return "\n".join([line, *printed]) + "\n"


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        GUIDE.write_text(run_guide(GUIDE.read_text(), Path(temporary)))
