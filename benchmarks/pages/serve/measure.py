"""Measuring servers: the same texts for each, and more questions for labeltree."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import tempfile
import urllib.request
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks.machine import ROOT
from benchmarks.pages.annif.corpora import Corpus, docstrings
from benchmarks.pages.places import Record
from benchmarks.pages.serve.load import load
from benchmarks.pages.serve.servers import (
    RIVALS,
    K,
    Server,
    System,
    environment,
    started,
    systems,
    trained,
)

MINE = "labeltree serve"
N_CHARACTERS = 200  # of a text
N_LOAD = 1000  # texts that are sent again and again
REPEATS = 3
_PROJECT = "[om]\nbackend=omikuji\nlanguage=en\nanalyzer=snowball(english)\nvocab=v\n"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the measurement."""
    parser.add_argument("--cache", type=Path, default=ROOT / "build" / "serve")
    parser.add_argument("--seconds", type=float, default=10.0, help="of each load (default: 10)")
    parser.add_argument("--max-texts", type=int, help="maximum number of docstrings (default: all)")


def measure(asked: argparse.Namespace) -> Iterator[Record]:
    """Yield the figures of all servers on the docstrings of the installed packages."""
    if shutil.which("wrk") is None:
        raise SystemExit("the measurement needs wrk, for example from Debian's package wrk")
    python = environment(asked.cache.resolve())
    corpus = docstrings()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        sizes = corpus.write(folder, asked.max_texts)
        (folder / "projects.cfg").write_text(_PROJECT)
        test = _write_jsonl(folder, corpus)
        found = {}
        for label, system in systems(folder, python).items():
            found[label] = {"train_cpu_s": round(trained(system, folder), 1)}
            found[label] |= _alone(system, folder, test, asked.seconds)
            print(label, found[label], flush=True)
        mine = systems(folder, python)[MINE]
        more = _more(mine, folder, [text for text, _ in test], found[MINE], asked.seconds)
    yield {"data": corpus.name, "sizes": sizes, "rivals": RIVALS, "systems": found, "more": more}


def _write_jsonl(folder: Path, corpus: Corpus) -> list[tuple[str, set[str]]]:
    """Write train.jsonl with the rows of train.tsv; return the test texts, cut, with their tags."""
    lines = (folder / "vocab.tsv").read_text().splitlines()
    names: dict[str, str] = dict(line.split("\t") for line in lines)

    def rows(file: str) -> Iterator[tuple[str, list[str]]]:
        for line in (folder / file).read_text().splitlines():
            text, uris = line.split("\t")
            yield text, [names[uri] for uri in uris.split() if uri in names]

    with (folder / "train.jsonl").open("w") as out:
        for text, tags in rows("train.tsv"):
            out.write(json.dumps({"text": text, "tags": tags}) + "\n")
    return [(text[:N_CHARACTERS], set(tags)) for text, tags in rows("test.tsv")]


def _alone(
    system: System, folder: Path, test: Sequence[tuple[str, set[str]]], seconds: float
) -> dict[str, Any]:
    """Return precision, and speed of one worker on a core of its own."""
    first, second = sorted(os.sched_getaffinity(0))[:2]
    bodies = [system.body(text) for text, _ in test[:N_LOAD]]
    with started(system, folder, cores={first}) as server:
        precision = _precision(server, system, test)
        runs = [
            load(
                server,
                system.path,
                system.content_type,
                bodies,
                seconds=seconds,
                cores={second},
            )
            for _ in range(REPEATS)
        ]
        return {**precision, **_median(runs), "memory_mb": round(server.memory())}


def _precision(
    server: Server, system: System, test: Sequence[tuple[str, set[str]]]
) -> dict[str, float]:
    """Return P@1, P@3 and P@5 of the answers."""
    hits = [0] * K
    for text, tags in test:
        request = urllib.request.Request(
            server.address + system.path,
            system.body(text).encode(),
            {"Content-Type": system.content_type},
        )
        with urllib.request.urlopen(request) as answer:
            labels = system.labels(json.load(answer))
        for rank, label in enumerate(labels[:K]):
            hits[rank] += label in tags
    return {f"p@{k}": round(100 * sum(hits[:k]) / (k * len(test)), 1) for k in (1, 3, 5)}


def _median(runs: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the median of each figure; failures are added up."""
    median: dict[str, Any] = {
        name: statistics.median(run[name] for run in runs) for name in runs[0]
    }
    return {**median, "n_failed": sum(run["n_failed"] for run in runs)}


def _more(
    system: System, folder: Path, texts: list[str], alone: dict[str, Any], seconds: float
) -> dict[str, Any]:
    """Return what else is asked of labeltree: batches, explanations, part load, two workers."""
    first, second = sorted(os.sched_getaffinity(0))[:2]
    hundreds = [json.dumps({"texts": texts[i : i + 100], "k": K}) for i in range(0, 1000, 100)]
    explained = [json.dumps({"text": text}) for text in texts[:200]]
    bodies = [system.body(text) for text in texts[:N_LOAD]]
    kind = system.content_type

    def median(server: Server, path: str, sent: list[str], **options: Any) -> dict[str, Any]:
        return _median(
            [load(server, path, kind, sent, seconds=seconds, **options) for _ in range(REPEATS)]
        )

    with started(system, folder, cores={first}) as server:
        found = {
            "100 texts": median(server, "/v1/tag", hundreds, n_connections=2, cores={second}),
            "explain": median(server, "/v1/explain", explained, n_connections=2, cores={second}),
        }
        rate = 0.7 * alone["requests_per_s"]
        found["70 % load"] = median(
            server, "/v1/tag", bodies, n_connections=64, rate=rate, cores={second}
        )
    for n in (1, 2):
        with started(system, folder, "--workers", str(n)) as server:
            found[f"{n} workers"] = median(server, "/v1/tag", bodies)
            found[f"{n} workers"]["memory_mb"] = round(server.memory())
    return found
