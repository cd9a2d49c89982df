"""Measuring systems in Annif: an environment, and a process for each phase."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.machine import ROOT, machine
from benchmarks.pages.annif import corpora
from benchmarks.pages.places import Record

ANNIF = "annif[omikuji]==1.4.3"
# As documented for Annif's omikuji backend; the first is its default.
OMIKUJI = {
    "omikuji (default: Parabel)": {},
    "omikuji, Bonsai": {"cluster_balanced": False, "cluster_k": 100, "max_depth": 3},
    "omikuji, AttentionXML": {
        "cluster_balanced": False,
        "cluster_k": 2,
        "collapse_every_n_layers": 5,
    },
    "omikuji, pairs of words": {"ngram": 2, "min_df": 2},
}
LABELTREE: dict[str, dict[str, Any]] = {
    "labeltree": {},
    "labeltree, 3 trees": {"n_trees": 3},
    "labeltree, omikuji's words": {"ngram": 1, "min_df": 1, "sublinear_tf": False},
}
TAGGER = "labeltree train (TextTagger)"
_PUNKT = ("collocations.tab", "sent_starters.txt", "abbrev_types.txt", "ortho_context.tab")


def environment(cache: Path) -> Path:
    """Return the Python of an environment with Annif and this version of labeltree.

    labeltree is compiled once for each commit.
    """
    folder = cache / "environment"
    python = folder / "bin" / "python"
    pip = [str(python), "-m", "pip", "install", "-q", "--disable-pip-version-check"]
    if not (folder / "ready").exists():
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(folder)], check=True)
        subprocess.run([*pip, ANNIF], check=True)
        (folder / "ready").touch()
    commit = str(machine()["commit"])
    if (folder / "ready").read_text() != commit:
        subprocess.run([*pip, "--force-reinstall", "--no-deps", str(ROOT)], check=True)
        (folder / "ready").write_text(commit)
    # The word tokenizer requires data of the sentence tokenizer, which is not used here.
    words = folder / "nltk_data" / "tokenizers" / "punkt_tab" / "english"
    words.mkdir(parents=True, exist_ok=True)
    for name in _PUNKT:
        (words / name).touch()
    return python


def compared(
    corpus: corpora.Corpus, python: Path, chosen: list[str] | None, max_texts: int | None
) -> dict[str, Any]:
    """Return the size of a corpus, and the figures of each system."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        sizes = corpus.write(folder, max_texts)
        systems = {
            f"lt{i}": (label, "labeltree", s) for i, (label, s) in enumerate(LABELTREE.items())
        }
        systems |= {f"om{i}": (label, "omikuji", s) for i, (label, s) in enumerate(OMIKUJI.items())}
        if chosen is not None:
            systems = {key: named for key, named in systems.items() if named[0] in chosen}
        (folder / "projects.cfg").write_text(
            "".join(_project(key, backend, given) for key, (_, backend, given) in systems.items())
        )
        _call(
            [str(python), "-m", "labeltree.annif", "load-vocab", "-L", "en", "v", "vocab.tsv"],
            folder,
        )
        found: dict[str, Any] = {}
        for key, (label, _, settings) in systems.items():
            found[label] = {"settings": settings}
            for phase in ("train", "predict"):
                found[label] |= _phase(python, phase, key, folder)
            print(corpus.name, label, found[label], flush=True)
        found[TAGGER] = _phase(python, "tagger", next(iter(systems)), folder)
        print(corpus.name, TAGGER, found[TAGGER], flush=True)
    return {"sizes": sizes, "systems": found}


def _project(key: str, backend: str, settings: dict[str, Any]) -> str:
    lines = "".join(f"{name}={value}\n" for name, value in settings.items())
    shared = "language=en\nanalyzer=snowball(english)\nvocab=v\n"
    return f"[{key}]\nbackend={backend}\n{shared}{lines}\n"


def _phase(python: Path, phase: str, key: str, folder: Path) -> dict[str, Any]:
    """Return the figures of a phase."""
    output = folder / "figures.json"
    worker = str(Path(__file__).parent / "worker.py")
    _call([str(python), worker, phase, key, str(folder), str(output)], folder)
    return {name: round(value, 4) for name, value in json.loads(output.read_text()).items()}


def _call(command: list[str], folder: Path) -> None:
    data = str(Path(command[0]).parent.parent / "nltk_data")
    settings = {"NLTK_DATA": data, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, **settings},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise RuntimeError(f"{command[1:]}: {done.stderr[-2000:]}")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the measurement."""
    parser.add_argument("--docstrings", action="store_true", help="of the installed packages")
    parser.add_argument("files", nargs="*", type=Path, help="more corpora, {text, tags} per line")
    parser.add_argument("--wordnet", type=Path, help="folder with data.noun and data.verb")
    parser.add_argument("--cache", type=Path, default=ROOT / "build" / "annif")
    parser.add_argument(
        "--max-texts", type=int, help="maximum number of texts per corpus (default: all)"
    )
    parser.add_argument(
        "--systems",
        nargs="+",
        choices=[*LABELTREE, *OMIKUJI],
        help="systems to measure (default: all)",
    )


def measure(asked: argparse.Namespace) -> Iterator[Record]:
    """Yield the figures of all systems on each corpus."""
    python = environment(asked.cache.resolve())
    sets = [corpora.docstrings()] if asked.docstrings else []
    sets += [corpora.jsonl(path) for path in asked.files]
    sets += [corpora.wordnet(asked.wordnet)] if asked.wordnet else []
    for corpus in sets:
        found = compared(corpus, python, asked.systems, asked.max_texts)
        load = round(os.getloadavg()[0], 2)
        yield {"data": corpus.name, "annif": ANNIF, **found, "load_after": load}
