"""Check the distributions in dist/ as a user meets them; `make release-check` calls it.

    python release/check.py dist [PYTHON...]

A wheel must be at most 1.2 MB and pass the checks of its metadata, contents and stable ABI. With
each Python, this one if none is named, it must install without a compiler, run the demo, train the
same model, bit for bit, as the sources do, and pass the tests of trees and models.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

MAX_BYTES = 1_200_000
TESTS = ("tests/trees", "tests/model")
HERE = Path(__file__).parent


def main(folder: str, *pythons: str) -> int:
    """Check all wheels and source distributions in a folder; return the exit status."""
    files = sorted(Path(folder).glob("labeltree-*"))
    wheels = [file for file in files if file.suffix == ".whl"]
    if not wheels or len(wheels) == len(files):
        print(f"{folder} must hold a wheel and a source distribution; run make wheel sdist")
        return 2
    checks = [("twine", tool("twine", "check", "--strict", *map(str, files)))]
    for wheel in wheels:
        checks += checks_of(wheel)
        for python in pythons or (sys.executable,):
            if runs_on(wheel, python):
                checks += installed(wheel, python)
    for name, problem in checks:
        print(f"{'ok' if not problem else 'FAILED':8}{name}" + (f"\n{problem}" if problem else ""))
    return int(any(problem for _, problem in checks))


def checks_of(wheel: Path) -> list[tuple[str, str]]:
    """Return the names of all checks of one wheel, each with its problem or an empty string."""
    size = wheel.stat().st_size
    too_large = f"more than {MAX_BYTES:,}" if size > MAX_BYTES else ""
    checks = [
        (f"{wheel.name}: {size:,} bytes", too_large),
        ("check-wheel-contents", tool("check-wheel-contents", str(wheel))),
        ("auditwheel", tool("auditwheel", "show", str(wheel))),
    ]
    if "abi3" in wheel.name:
        checks.append(("abi3audit", tool("abi3audit", "--strict", str(wheel))))
    return checks


def runs_on(wheel: Path, python: str) -> bool:
    """Return whether a Python can install the wheel."""
    asked = [python, "-c", "import sys; print(sys.version_info.minor)"]
    minor = int(subprocess.run(asked, capture_output=True, check=True).stdout)
    return f"cp3{minor}-" in wheel.name or ("cp312-abi3" in wheel.name and minor >= 12)


def installed(wheel: Path, interpreter: str) -> list[tuple[str, str]]:
    """Install the wheel into a bare environment, where no compiler can be found, and use it."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([interpreter, "-m", "venv", folder], check=True)
        bare = {**os.environ, "PATH": f"{folder}/bin", "CC": "none", "CXX": "none"}
        python = f"{folder}/bin/python"
        pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        start = time.monotonic()
        problem = run([*pip, str(wheel.resolve())], bare, folder)
        checks = [(f"{interpreter}: installed in {time.monotonic() - start:.0f} s", problem)]
        if problem:
            return checks
        problem = run([*pip, f"{wheel.resolve()}[test]"], bare, folder)
        tests = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", *TESTS]
        return [
            *checks,
            ("labeltree demo", run([f"{folder}/bin/labeltree", "demo"], bare, folder)),
            ("the same model as from the sources", other_digest(python, bare, folder)),
            ("tests of trees and models", problem or run(tests, bare, str(HERE.parent))),
        ]


def other_digest(python: str, env: dict[str, str], folder: str) -> str:
    """Return the digest of the model that the wheel trains, unless it is the expected one."""
    expected = (HERE / "digest.txt").read_text().strip()
    command = [python, str(HERE.resolve() / "digest.py")]
    done = subprocess.run(command, env=env, cwd=folder, capture_output=True, text=True)
    return "" if done.stdout.strip() == expected else done.stdout + done.stderr


def tool(*command: str) -> str:
    """Run a tool of this environment; return its output if it fails, else an empty string."""
    return run([str(Path(sys.executable).parent / command[0]), *command[1:]], None, None)


def run(command: list[str], env: dict[str, str] | None, folder: str | None) -> str:
    """Run a command; return its output if it fails, else an empty string."""
    done = subprocess.run(command, env=env, cwd=folder, capture_output=True, text=True)
    return "" if done.returncode == 0 else done.stdout + done.stderr


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
