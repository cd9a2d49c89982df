"""Texts with subjects, as Annif reads them."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from labeltree.data import read_jsonl
from labeltree.datasets import python_docs

HELD_OUT = 0.2
MAX_TEST = 5000


@dataclass(frozen=True)
class Corpus:
    """Texts and the tags of each."""

    name: str
    texts: Sequence[str]
    tags: Sequence[Sequence[str]]

    def write(self, folder: Path, max_texts: int | None, seed: int = 0) -> dict[str, float]:
        """Write vocab.tsv, train.tsv and test.tsv, and return their sizes.

        If there are more than `max_texts`, that many are drawn at random.
        """
        order = list(range(len(self.texts)))
        random.Random(seed).shuffle(order)
        order = order[:max_texts]
        n_test = min(MAX_TEST, int(HELD_OUT * len(order)))
        test, training = order[:n_test], order[n_test:]
        subjects = sorted({tag for i in training for tag in self.tags[i]})
        lines = (f"{_uri(tag)}\t{' '.join(tag.split())}\n" for tag in subjects)
        (folder / "vocab.tsv").write_text("".join(lines))
        self._write(folder / "train.tsv", training)
        self._write(folder / "test.tsv", test)
        n_tags = sum(len(self.tags[i]) for i in training)
        return {
            "train_texts": len(training),
            "test_texts": len(test),
            "subjects": len(subjects),
            "subjects_a_text": round(n_tags / len(training), 1),
        }

    def _write(self, path: Path, rows: Iterable[int]) -> None:
        with path.open("w") as file:
            for i in rows:
                uris = " ".join(_uri(tag) for tag in self.tags[i])
                file.write(f"{' '.join(self.texts[i].split())}\t{uris}\n")


def docstrings() -> Corpus:
    """Return the docstrings of the installed packages, tagged by their dotted path."""
    data = python_docs()
    return Corpus("docstrings", data.texts, data.tags)


def jsonl(path: Path) -> Corpus:
    """Return the texts of a JSONL file."""
    rows = list(read_jsonl(path, label_field=("tags", "labels", "subjects")))
    return Corpus(path.stem, [text for text, _ in rows], [tags for _, tags in rows])


def wordnet(folder: Path) -> Corpus:
    """Return nouns and verbs with their gloss, tagged with all their hypernyms.

    `folder` has the files data.noun and data.verb of Debian's package wordnet-base.
    """
    texts, tags = [], []
    for part in ("noun", "verb"):
        entries = dict(_synsets(folder / f"data.{part}"))
        for key, (lemmas, gloss, _) in entries.items():
            above = sorted(_ancestors(entries, key))
            if above:
                texts.append(f"{', '.join(lemmas)}: {gloss}")
                tags.append([f"{entries[up][0][0]} {part}{up}" for up in above])
    return Corpus("wordnet", texts, tags)


def _synsets(path: Path) -> Iterator[tuple[str, tuple[list[str], str, list[str]]]]:
    """Iterate over the number of each synset, its lemmas, its gloss and its hypernyms."""
    for line in path.read_text(encoding="latin-1").splitlines():
        if line.startswith(" "):  # the license
            continue
        front, _, gloss = line.partition(" | ")
        fields = front.split()
        n_lemmas = int(fields[3], 16)
        lemmas = [fields[4 + 2 * i].replace("_", " ") for i in range(n_lemmas)]
        pointers = fields[5 + 2 * n_lemmas :]
        above = [pointers[i + 1] for i in range(len(pointers) - 1) if pointers[i] in ("@", "@i")]
        yield fields[0], (lemmas, gloss.strip(), above)


def _ancestors(entries: dict[str, tuple[list[str], str, list[str]]], key: str) -> set[str]:
    found: set[str] = set()
    waiting = list(entries[key][2])
    while waiting:
        up = waiting.pop()
        if up not in found:
            found.add(up)
            waiting += entries[up][2]
    return found


def _uri(tag: str) -> str:
    return f"<http://example.org/{quote(tag, safe='')}>"
