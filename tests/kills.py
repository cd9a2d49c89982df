"""Kill -9 commands that write files, at random times, and check that nothing is lost.

`python -m tests.kills --count 300` takes turns through the kinds below. Half of the kills come at a
random time of the command, the others within milliseconds of the moment when a file is written.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # a process with threads cannot be forked safely

from labeltree import load
from labeltree.cli import main as labeltree
from labeltree.storage import ModelFileError

N_ROWS, SAVE_ROWS = 240, 20
_AFTER_PART = 0.004  # seconds at most from the first byte of a file to the kill
_TIMEOUT = 120.0
_WORDS = "tea bread milk salt rye oat fish oil wine corn plum fig leek dill mint sage lime pear"


def write_texts(path: Path, seed: int, n_rows: int = N_ROWS) -> Path:
    """Write texts with tags that depend on their words."""
    rng, words = random.Random(seed), _WORDS.split()
    with path.open("w") as stream:
        for i in range(n_rows):
            chosen = rng.choices(words, k=12)
            tags = sorted({f"{word}-{i % 3}" for word in chosen[:3]})
            stream.write(json.dumps({"text": " ".join(chosen), "tags": tags}) + "\n")
    return path


class LostError(AssertionError):
    """Raised if a file is broken, or what was saved is gone."""


class Victim:
    """A command in its own folder: how it starts, and what must hold after it was killed."""

    name = ""
    continues = False  # whether the next run goes on from the files that the killed one left

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True)
        self.prepare()

    def prepare(self) -> None:
        """Make the input files and the reference of an undisturbed run."""

    def reset(self) -> None:
        """Bring the folder to the state before the command."""

    def command(self) -> None:
        """Run the command; in a process of its own."""

    def check(self) -> None:
        """Check the files after the kill, and again after the command has run to its end."""

    def run(self) -> None:
        """Run the command undisturbed, as a child that is not killed."""
        code = os.waitstatus_to_exitcode(os.waitpid(_forked(self.command, self.folder), 0)[1])
        if code != 0:
            log = (self.folder / "log.txt").read_text()[-1000:]
            raise LostError(f"{self.name}: the next run fails with code {code}: {log}")


def _forked(command: Callable[[], None], folder: Path) -> int:
    """Run a function in a child that has imported everything already, and return its number."""
    child = os.fork()
    if child:
        return child
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    try:
        log = os.open(folder / "log.txt", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(log, 1)
        os.dup2(log, 2)
        sys.stdout = open(1, "w", closefd=False)  # noqa: SIM115 - lives as long as the process
        sys.stderr = open(2, "w", closefd=False)  # noqa: SIM115
        command()
        sys.stdout.flush()
    except BaseException as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr, flush=True)
        os._exit(1)
    os._exit(0)


def _call(*arguments: str | Path) -> None:
    code = labeltree([str(argument) for argument in arguments])
    if code:
        raise RuntimeError(f"exit code {code}")


class Replaced(Victim):
    """A command that replaces one file: it holds the old or the new bytes, never others."""

    target = "model.lt"

    def prepare(self) -> None:
        self.make_old(self.folder / "old")
        self.old = (self.folder / "old").read_bytes()
        self.reset()
        self.run()
        self.new = (self.folder / self.target).read_bytes()
        if self.old == self.new:
            raise LostError(f"{self.name}: the command changes nothing")

    def make_old(self, path: Path) -> None:
        """Write the file that is replaced."""

    def reset(self) -> None:
        (self.folder / self.target).write_bytes(self.old)

    def check(self) -> None:
        found = (self.folder / self.target).read_bytes()
        if found not in (self.old, self.new):
            raise LostError(f"{self.name}: {self.target} is neither the old nor the new file")


class Saving(Replaced):
    """`save` over an existing model."""

    name = "save"

    def make_old(self, path: Path) -> None:
        for name, seed in (("old", 1), ("next.lt", 2)):
            data = write_texts(self.folder / "docs.jsonl", seed)
            _quiet_train(data, self.folder / name)

    def command(self) -> None:
        load(self.folder / "next.lt").save(self.folder / self.target)


class Updating(Replaced):
    """`labeltree update` of a model in its place."""

    name = "update"

    def make_old(self, path: Path) -> None:
        _quiet_train(write_texts(self.folder / "docs.jsonl", 1), path)
        write_texts(self.folder / "new.jsonl", 2, 40)

    def command(self) -> None:
        _call("update", self.folder / self.target, self.folder / "new.jsonl", "--n-jobs", "1")


class Converting(Replaced):
    """`labeltree convert` over an existing file."""

    name, target = "convert", "docs.tsv"

    def make_old(self, path: Path) -> None:
        path.write_text("an older file\ttea\n")
        write_texts(self.folder / "docs.jsonl", 1, 2000)

    def command(self) -> None:
        _call("convert", self.folder / "docs.jsonl", "-o", self.folder / self.target)


class Predicting(Replaced):
    """`labeltree predict -o` over an existing file."""

    name, target = "predict", "found.jsonl"

    def make_old(self, path: Path) -> None:
        path.write_text('{"labels": []}\n')
        data = write_texts(self.folder / "docs.jsonl", 1)
        _quiet_train(data, self.folder / "model.lt")

    def command(self) -> None:
        files = (self.folder / "model.lt", self.folder / "docs.jsonl")
        _call("predict", *files, "-o", self.folder / self.target, "--n-jobs", "1")


class Building(Replaced):
    """`labeltree tree -o` over an existing file."""

    name, target = "tree", "tree.json"

    def make_old(self, path: Path) -> None:
        path.write_text("{}")
        write_texts(self.folder / "docs.jsonl", 1)

    def command(self) -> None:
        files = (self.folder / "docs.jsonl", "-o", self.folder / self.target)
        _call("tree", *files, "--builder", "cheapest")


class Training(Victim):
    """`labeltree train` with checkpoints, which continues to the same model bit for bit."""

    name = "train"
    continues = True

    def prepare(self) -> None:
        write_texts(self.folder / "docs.jsonl", 1)
        self.reset()
        self.run()
        self.whole = (self.folder / "model.lt").read_bytes()

    def reset(self) -> None:
        (self.folder / "model.lt").unlink(missing_ok=True)
        shutil.rmtree(self.folder / "parts", ignore_errors=True)

    def command(self) -> None:
        _quiet_train(
            self.folder / "docs.jsonl",
            self.folder / "model.lt",
            *("--checkpoint-dir", self.folder / "parts", "--n-trees", "3", "--tree", "kmeans"),
        )

    def check(self) -> None:
        model = self.folder / "model.lt"
        if model.exists() and model.read_bytes() != self.whole:
            raise LostError("train: the model differs from that of an undisturbed run")


def _quiet_train(data: Path, model: Path, *more: str | Path) -> None:
    options = ("--n-jobs", "1", "--no-holdout", "--quiet", *more)
    _call("train", data, "-o", model, *options)


class Streaming(Victim):
    """`labeltree stream`: what was learned up to the last save is in the model file."""

    name = "stream"
    continues = True

    def prepare(self) -> None:
        write_texts(self.folder / "docs.jsonl", 1)

    def reset(self) -> None:
        (self.folder / "model.lt").unlink(missing_ok=True)

    def command(self) -> None:
        files = (self.folder / "model.lt", self.folder / "docs.jsonl")
        _call("stream", *files, "--save-rows", str(SAVE_ROWS))

    def check(self) -> None:
        # A line is printed before the save that follows it, so those of the line before are done.
        n_lines = (self.folder / "log.txt").read_text().count('"labels"')
        expected = max(n_lines - 1, 0) // SAVE_ROWS * SAVE_ROWS
        model = self.folder / "model.lt"
        if not model.exists():
            if expected:
                raise LostError(f"stream: {expected} rows were saved, but there is no model")
            return
        n_rows = load(model).classifier_.n_rows_
        if n_rows % SAVE_ROWS or n_rows < expected:
            raise LostError(f"stream: {expected} rows were saved, but the model has {n_rows}")


VICTIMS = (Training, Saving, Updating, Streaming, Converting, Predicting, Building)


class Killer:
    """Kills victims and counts."""

    def __init__(self, folder: Path, seed: int, *, check_leftovers: bool) -> None:
        self.rng = random.Random(seed)
        self.check_leftovers = check_leftovers
        self.victims = [kind(folder / kind.name) for kind in VICTIMS]
        self.seconds = {victim.name: _duration(victim) for victim in self.victims}
        self.counts = {victim.name: _zero() for victim in self.victims}
        self.failures: list[str] = []

    def run(self, count: int) -> None:
        """Kill in turns until there were enough kills that hit a running process."""
        turns = _in_turns(self.victims)
        n_kills = 0
        while n_kills < count:
            victim = next(turns)
            counts = self.counts[victim.name]
            try:
                was_killed = self.kill(victim)
                n_kills += was_killed
                counts["killed"] += was_killed
                self._after(victim)
            except (LostError, ModelFileError, OSError) as error:
                counts["failed"] += 1
                self.failures.append(f"{victim.name}: {error}")
                print(f"lost: {victim.name}: {error}", flush=True)

    def kill(self, victim: Victim) -> bool:
        """Start a victim and kill it; False if it was done before."""
        victim.reset()
        child = _forked(victim.command, victim.folder)
        if self.rng.random() < 0.5:
            time.sleep(self.rng.uniform(0, self.seconds[victim.name]))
        else:
            self._await_part(victim, child)
            time.sleep(self.rng.uniform(0, _AFTER_PART))
        os.kill(child, signal.SIGKILL)
        return os.WIFSIGNALED(os.waitpid(child, 0)[1])

    def _await_part(self, victim: Victim, child: int) -> None:
        """Wait for one of the first files that are being written, or for the end."""
        skip, seen = self.rng.choice([0, 0, 1, 3]), set[str]()
        end = time.monotonic() + _TIMEOUT
        while time.monotonic() < end and not _is_done(child):
            seen |= {path.name for path in _parts(victim.folder)}
            if len(seen) > skip:
                self.counts[victim.name]["while writing"] += 1
                return

    def _after(self, victim: Victim) -> None:
        """Check what the kill left, and that the next run ends as if nothing had happened."""
        victim.check()
        self.counts[victim.name]["leftovers"] += bool(list(_parts(victim.folder)))
        if not victim.continues:
            victim.reset()
        victim.run()
        victim.check()
        left = [path.name for path in _parts(victim.folder)]
        self.counts[victim.name]["leftovers after the next run"] += bool(left)
        if left and self.check_leftovers:
            raise LostError(f"the next run leaves {left[0]}")
        for path in _parts(victim.folder):
            path.unlink()


def _zero() -> dict[str, int]:
    names = ("killed", "while writing", "failed", "leftovers", "leftovers after the next run")
    return dict.fromkeys(names, 0)


def _duration(victim: Victim) -> float:
    victim.reset()
    began = time.monotonic()
    victim.run()
    return time.monotonic() - began


def _in_turns(victims: list[Victim]) -> Iterator[Victim]:
    while True:
        yield from victims


def _parts(folder: Path) -> Iterator[Path]:
    yield from folder.glob(".*.part")
    yield from folder.glob("parts/.*.part")


def _is_done(child: int) -> bool:
    return os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def main() -> int:
    """Kill, print the counts and write them as JSON; 1 if anything was lost."""
    parser = argparse.ArgumentParser(prog="python -m tests.kills", description=__doc__)
    parser.add_argument("--count", type=int, default=300, help="number of kills")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--check-leftovers", action="store_true")
    parser.add_argument("--output", type=Path, default=Path("build/kills"))
    arguments = parser.parse_args()
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="labeltree-kills-") as folder:
        killer = Killer(Path(folder), arguments.seed, check_leftovers=arguments.check_leftovers)
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        with suppress(KeyboardInterrupt):  # the counts are still written
            killer.run(arguments.count)
    arguments.output.mkdir(parents=True, exist_ok=True)
    summary = {"counts": killer.counts, "failures": killer.failures, "seed": arguments.seed}
    (arguments.output / "kills.json").write_text(json.dumps(summary, indent=1) + "\n")
    for name, counts in killer.counts.items():
        print(f"{name}: " + ", ".join(f"{n} {what}" for what, n in counts.items()))
    n_kills = sum(counts["killed"] for counts in killer.counts.values())
    seconds = time.monotonic() - began
    print(f"{n_kills} kills in {seconds:.0f} s, {len(killer.failures)} of them lost something")
    return 1 if killer.failures else 0


if __name__ == "__main__":
    sys.exit(main())
