"""A process that reads hostile files without network, with little memory, and reports the errors.

It runs by itself, since limits and audit hooks stay with a process until it ends.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import resource
import signal
import sys
import tempfile
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import labeltree
from labeltree import data
from labeltree.cli import main
from labeltree.trees import Hierarchy, LabelTree
from labeltree.trees.other_systems import from_napkinxc, from_omikuji, from_pecos
from tests.attacks.written import write_all

HERE = Path(__file__).parent
# Bytes that reading one file may take. AddressSanitizer surrounds every object with memory of its
# own and keeps freed memory for a while.
ALLOWANCE = (1536 if "libasan" in os.environ.get("LD_PRELOAD", "") else 512) << 20
PATIENCE = 120  # seconds after which a file counts as endless


class Reader(NamedTuple):
    """The function that reads a file, and the command that does."""

    read: Callable[[Path], object]
    command: Callable[[str, str], list[str]]  # (file, folder for output) -> arguments


def _rows(read: Callable[[Path], Iterator[Any]], *options: str) -> Reader:
    def read_all(path: Path) -> None:
        for _ in read(path):
            pass

    return Reader(read_all, lambda path, out: ["tree", path, *options, "-o", f"{out}/tree.json"])


def _tree(read: Callable[[Path], object], *options: str) -> Reader:
    return Reader(read, lambda path, out: ["convert", path, *options, "-o", f"{out}/tree.json"])


READERS = {
    "jsonl": _rows(data.read_jsonl),
    "tsv": _rows(data.read_tsv),
    "csv": _rows(data.read_csv),
    "fasttext": _rows(data.read_fasttext),
    "folder": _rows(data.read_folder),
    "xmc": _rows(lambda path: iter(data.read_xmc(path))),
    "libsvm": _rows(lambda path: iter(data.read_xmc(path, header=False)), "--no-header"),
    "npz": Reader(
        data.read_npz,
        lambda path, out: ["convert", "--x", path, "--y", f"{out}/Y.npz", "-o", f"{out}/rows.xmc"],
    ),
    "npz labels": Reader(
        data.read_npz_labels, lambda path, out: ["tree", "--y", path, "-o", f"{out}/tree.json"]
    ),
    "tree": _tree(LabelTree.load),
    "omikuji": _tree(from_omikuji, "--from-tree", "omikuji"),
    "napkinxc": _tree(from_napkinxc, "--from-tree", "napkinxc"),
    "pecos": _tree(from_pecos, "--from-tree", "pecos"),
    "hierarchy": Reader(
        Hierarchy.load,
        lambda path, out: ["train", f"{out}/rows.jsonl", "--hierarchy", path, "-qo", f"{out}/m.lt"],
    ),
    "model": Reader(labeltree.load, lambda path, _: ["inspect", path]),
}


class Watch:
    """Which files were opened; sockets are refused."""

    def __init__(self) -> None:
        self.opened: list[str] = []
        self.connected: list[str] = []
        sys.addaudithook(self._hook)

    def _hook(self, event: str, arguments: tuple[object, ...]) -> None:
        if event.startswith("socket."):
            self.connected.append(event)
            raise PermissionError(f"{event} while a file is read")
        if event == "open" and isinstance(arguments[0], str):
            self.opened.append(arguments[0])


def give_up(*_: object) -> None:
    """End an endless loop."""
    raise TimeoutError(f"more than {PATIENCE} seconds")


def report(path: Path, reader: Reader, out: str, watch: Watch) -> dict[str, object]:
    """Return the error of the library, and the exit code and message of the command."""
    watch.opened.clear()
    signal.alarm(PATIENCE)
    kind, message = "nothing", ""
    try:
        reader.read(path)
    except Exception as error:  # what kind it is, is the question
        kind, message = type(error).__name__, str(error)
    # Modules of Python are imported on first use.
    others = {name for name in watch.opened if not name.startswith((str(path), sys.base_prefix))}
    signal.alarm(PATIENCE)
    printed = io.StringIO()
    code: object
    with contextlib.redirect_stderr(printed), contextlib.redirect_stdout(io.StringIO()):
        try:
            code = main(reader.command(str(path), out))
        except Exception as error:
            code = type(error).__name__
    signal.alarm(0)
    return {
        "kind": kind,
        "message": message.replace(str(path), "FILE"),
        "opened": sorted(others),
        "connected": len(watch.connected),
        "code": code,
        "printed": printed.getvalue().replace(str(path), "FILE"),
    }


def warm_up(folder: Path) -> None:
    """Read honest files, so that what is imported on first use is not counted."""
    (folder / "rows.jsonl").write_text('{"text": "tea", "tags": ["a", "b"]}\n')
    data.write_npz(folder / "Y.npz", data.as_labels([[0], [1]]))
    with contextlib.redirect_stdout(io.StringIO()):
        main(["tree", str(folder / "rows.jsonl"), "-o", str(folder / "tree.json")])
    for suffix, content in (
        ("ttl", "<a> <b> <c>."),
        ("nt", "<a> <b> <c> ."),
        ("n3", "<a> <b> <c>."),
        ("jsonld", "{}"),
        ("rdf", '<r:RDF xmlns:r="http://www.w3.org/1999/02/22-rdf-syntax-ns#"/>'),
    ):
        (folder / f"a.{suffix}").write_text(content)
        with contextlib.suppress(ValueError):
            Hierarchy.load(folder / f"a.{suffix}")


def limit_memory() -> None:
    """Refuse more memory than the process has now and the allowance."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    limit = pages * resource.getpagesize() + ALLOWANCE
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def run(names: list[str]) -> None:
    """Print one JSON line per file."""
    expected = tomllib.loads((HERE / "expected.toml").read_text())
    with tempfile.TemporaryDirectory() as folder:
        hostile, out = Path(folder, "hostile"), Path(folder, "out")
        hostile.mkdir()
        out.mkdir()
        write_all(hostile)
        warm_up(out)
        limit_memory()
        watch = Watch()
        signal.signal(signal.SIGALRM, give_up)
        for name in names or expected:
            path = HERE / "files" / name
            path = path if path.exists() else hostile / name
            found = report(path, READERS[expected[name]["reader"]], str(out), watch)
            print(json.dumps({"name": name, **found}), flush=True)
        sys.setrecursionlimit(10_000)  # to remove folders in folders


if __name__ == "__main__":
    run(sys.argv[1:])
