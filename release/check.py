"""Check the distributions in dist/ as a user meets them; `make release-check` calls it.

    python release/check.py dist

A wheel must be at most 1.2 MB, pass the checks of its metadata, contents and stable ABI, install
without a compiler, run the demo and train the same model, bit for bit, as the sources do.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

MAX_BYTES = 1_200_000
HERE = Path(__file__).parent


def main(folder: str) -> int:
    """Check all wheels and source distributions in a folder; return the exit status."""
    files = sorted(Path(folder).glob("labeltree-*"))
    wheels = [file for file in files if file.suffix == ".whl"]
    if not wheels or len(wheels) == len(files):
        print(f"{folder} must hold a wheel and a source distribution; run make wheel sdist")
        return 2
    checks = [("twine", tool("twine", "check", "--strict", *map(str, files)))]
    for wheel in wheels:
        checks += checks_of(wheel)
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
    if runs_here(wheel):
        checks += installed(wheel)
    return checks


def runs_here(wheel: Path) -> bool:
    """Return whether this Python can install the wheel."""
    minor = sys.version_info.minor
    return f"cp3{minor}-" in wheel.name or ("cp312-abi3" in wheel.name and minor >= 12)


def installed(wheel: Path) -> list[tuple[str, str]]:
    """Install the wheel into a bare environment, where no compiler can be found, and use it."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        bare = {**os.environ, "PATH": f"{folder}/bin", "CC": "none", "CXX": "none"}
        python = f"{folder}/bin/python"
        start = time.monotonic()
        problem = run([python, "-m", "pip", "install", "--quiet", str(wheel)], bare, folder)
        checks = [(f"installed in {time.monotonic() - start:.0f} s", problem)]
        if problem:
            return checks
        checks.append(("labeltree demo", run([f"{folder}/bin/labeltree", "demo"], bare, folder)))
        expected = (HERE / "digest.txt").read_text().strip()
        found = subprocess.run(
            [python, HERE.resolve() / "digest.py"], env=bare, cwd=folder, capture_output=True
        )
        differs = "" if found.stdout.decode().strip() == expected else found.stdout.decode()
        checks.append(("the same model as from the sources", differs))
        return checks


def tool(*command: str) -> str:
    """Run a tool of this environment; return its output if it fails, else an empty string."""
    return run([str(Path(sys.executable).parent / command[0]), *command[1:]], None, None)


def run(command: list[str], env: dict[str, str] | None, folder: str | None) -> str:
    """Run a command; return its output if it fails, else an empty string."""
    done = subprocess.run(command, env=env, cwd=folder, capture_output=True, text=True)
    return "" if done.returncode == 0 else done.stdout + done.stderr


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
