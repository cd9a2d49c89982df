"""A clone of one commit with an environment of its own, in which figures are measured."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from benchmarks.machine import MEASURED_CODE, ROOT

#: Folders of build with the environments of other systems, which do not depend on our commit.
SHARED = ("rivals", "annif", "serve")


def _git(*words: str, root: Path) -> str:
    done = subprocess.run(["git", *words], cwd=root, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"git {' '.join(words)}: {done.stderr.strip()}")
    return done.stdout.strip()


def code_commit(commit: str, root: Path = ROOT) -> str:
    """Return the last commit up to this one that changed measured code."""
    found = _git("log", "-1", "--format=%h", commit, "--", *MEASURED_CODE, root=root)
    if not found:
        raise ValueError(f"commit must have measured code in its history, but is {commit!r}")
    return found


@dataclass(frozen=True)
class Checkout:
    """A folder with the source of a commit, and the Python that it is installed in."""

    commit: str  # the last that changed measured code
    source: Path
    python: Path

    @property
    def results(self) -> Path:
        """The folder of results in the source."""
        return self.source / "benchmarks" / "results"

    @property
    def claims(self) -> Path:
        """The folder of claims, which runs at the same time share."""
        return self.source.parent / "claims"

    def environment(self) -> dict[str, str]:
        """Return the variables of a measurement."""
        # Another labeltree on PYTHONPATH would be measured instead of the installed one.
        kept = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        return {**kept, "PYTHONHASHSEED": "0"}


def prepare(commit: str, extras: str = "test", root: Path = ROOT) -> Checkout:
    """Return the checkout of a commit; what exists is used again.

    Commits with the same measured code share an environment.
    """
    full = _git("rev-parse", f"{commit}^{{commit}}", root=root)
    code = code_commit(full, root)
    folder = root / "build" / "figures" / full[:12]
    source, venv = folder / "source", folder.with_name(f"venv-{code}")
    if not source.exists():
        partial = folder / "cloning"
        _git("clone", "--quiet", "--shared", "--no-checkout", str(root), str(partial), root=root)
        _git("checkout", "--quiet", "--detach", full, root=partial)
        partial.rename(source)
    for name in SHARED:
        _link(root / "build" / name, source / "build" / name)
    ready = venv.with_name(f"installed-{code}-{extras}")
    if not ready.exists():
        print(f"installing {commit} in {venv}", flush=True)
        subprocess.run([sys.executable, "-m", "venv", str(venv)], check=True)
        pip = [str(venv / "bin" / "python"), "-m", "pip", "install", "--quiet"]
        subprocess.run([*pip, "--disable-pip-version-check", f"{source}[{extras}]"], check=True)
        ready.touch()
    return Checkout(code, source, venv / "bin" / "python")


def _link(target: Path, link: Path) -> None:
    target.mkdir(parents=True, exist_ok=True)
    link.parent.mkdir(parents=True, exist_ok=True)
    if not link.exists():
        link.symlink_to(target, target_is_directory=True)
