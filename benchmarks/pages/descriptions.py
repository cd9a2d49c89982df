"""Gain from descriptions of tags, on WordNet.

Texts are synsets of nouns and verbs, which are words and a gloss, without those that are tags. Tags
are their hypernyms, and the description of a tag is its own words and gloss. WordNet's files are in
the Debian package wordnet-base.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import labeltree as lt
from benchmarks.markdown import at_ranks, table
from benchmarks.pages.places import Place, Record, Table, measured_on
from benchmarks.rows import percent_at, shuffled_split
from labeltree.data import as_labels
from labeltree.metrics import propensities, psp_at_k

N_HELD = 8000
HIDDEN_SHARE = 0.05  # of the tags
MAX_HIDDEN = 20  # texts of a tag that may be hidden; frequent tags would take most texts with them
RARE = 3  # texts of a rare tag
WEIGHTS = (None, 0.1, 0.3, 1.0)
SEED = 2  # the default weight was chosen with others


class Synset(NamedTuple):
    """Words with a gloss, and the identifiers of direct hypernyms."""

    text: str
    parents: tuple[str, ...]


RUNS = {"wordnet": "--wordnet /usr/share/wordnet"}
MINUTES = 1.3
MINUTES_FROM = "CPU time, measured once"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the option that names WordNet's files."""
    parser.add_argument("--wordnet", type=Path, default=Path("/usr/share/wordnet"), metavar="DIR")


def measure(asked: argparse.Namespace) -> Iterator[Record]:
    """Yield the figures for direct and for all hypernyms."""
    synsets = read_synsets(asked.wordnet)
    direct = {name: set(one.parents) for name, one in synsets.items()}
    every = {name: ancestors(name, synsets) for name in synsets}
    for data, tags in (("direct hypernyms", direct), ("all hypernyms", every)):
        used = set().union(*tags.values())
        names = [name for name in synsets if tags[name] and name not in used]
        texts = {name: one.text for name, one in synsets.items()}
        held, rest = shuffled_split(len(names), N_HELD, SEED)
        parts = [names[i] for i in held], [names[i] for i in rest]
        yield {"data": data, **Wordnet(texts, tags).figures(*parts)}


def read_synsets(folder: Path) -> dict[str, Synset]:
    """Return the synsets of nouns and verbs; see wndb(5WN) for the format."""
    found = {}
    for kind, file in (("n", "data.noun"), ("v", "data.verb")):
        for line in (folder / file).read_text("latin1").splitlines():
            if line.startswith(" "):  # the license
                continue
            head, gloss = line.split("|", 1)
            fields = head.split()
            first = 4 + 2 * int(fields[3], 16)  # after the words, each with a number
            words = " ".join(fields[4:first:2]).replace("_", " ")
            pointers = zip(*(fields[first + i :: 4] for i in (1, 2, 3)), strict=False)
            parents = [pos + offset for mark, offset, pos in pointers if mark in ("@", "@i")]
            found[kind + fields[0]] = Synset(f"{words} {gloss.strip()}", tuple(parents))
    return found


def ancestors(name: str, synsets: dict[str, Synset]) -> set[str]:
    """Return all hypernyms of a synset."""
    found: set[str] = set()
    ahead = list(synsets[name].parents)
    while ahead:
        parent = ahead.pop()
        if parent not in found:
            found.add(parent)
            ahead += synsets[parent].parents
    return found - {name}


class Wordnet(NamedTuple):
    """The text and the tags of each synset."""

    texts: dict[str, str]
    tags: dict[str, set[str]]

    def figures(self, held: list[str], rest: list[str]) -> Record:
        """Return the figures of tags with texts and of tags whose texts are hidden."""
        counts = Counter(tag for name in rest for tag in self.tags[name])
        few = sorted(tag for tag, n in counts.items() if n <= MAX_HIDDEN)
        chosen, _ = shuffled_split(len(few), round(HIDDEN_SHARE * len(counts)), SEED)
        hidden = {few[i] for i in chosen}
        shown = [name for name in rest if not self.tags[name] & hidden]
        hiding = [name for name in (*held, *rest) if self.tags[name] & hidden]
        with_texts, without = {}, {}
        for weight in WEIGHTS:
            tagger = self.fitted(rest, list(counts), weight)
            with_texts[str(weight)] = self.of_texts(tagger, held, counts, len(rest))
            tagger = self.fitted(shown, list(counts), weight)
            without[str(weight)] = self.recall(tagger, hiding, hidden)
        sizes = {"n_texts": len(rest), "n_tags": len(counts), "n_hidden": len(hidden)}
        return {**sizes, "n_hiding": len(hiding), "with_texts": with_texts, "without": without}

    def fitted(self, names: list[str], tags: list[str], weight: float | None) -> lt.TextTagger:
        """Return a tagger of these texts, with descriptions if they have a weight."""
        described = {} if weight is None else {tag: self.texts[tag] for tag in sorted(tags)}
        return lt.TextTagger(n_jobs=1, random_state=0).fit(
            [self.texts[name] for name in names],
            [sorted(self.tags[name]) for name in names],
            descriptions=described,
            description_weight=weight or 1.0,
        )

    def of_texts(
        self, tagger: lt.TextTagger, held: list[str], counts: Counter[str], n_texts: int
    ) -> Record:
        """Return P@k, PSP@1 and the recall of rare tags."""
        classes = tagger.classes_.tolist()
        known = set(classes)
        truth = as_labels([sorted(self.tags[name] & known) for name in held], names=classes)
        labels, _ = tagger.top_k([self.texts[name] for name in held], 5)
        propensity = propensities(counts=[counts[tag] for tag in classes], n_rows=n_texts)
        rare = {tag for tag, n in counts.items() if n <= RARE}
        found = {"P": percent_at(truth, labels, 2), **self.recall(tagger, held, rare)}
        return {**found, "PSP@1": round(100 * psp_at_k(truth, labels, 1, propensity), 2)}

    def recall(self, tagger: lt.TextTagger, names: list[str], tags: Collection[str]) -> Record:
        """Return in percent how many of these tags are among the first 5 and 20."""
        labels, _ = tagger.top_k([self.texts[name] for name in names], 20)
        ranked = np.where(labels < 0, "", tagger.classes_[labels])
        hits = [
            [tag in ranked[i, :k] for k in (5, 20)]
            for i, name in enumerate(names)
            for tag in self.tags[name] & set(tags)
        ]
        five, twenty = 100 * np.mean(hits, axis=0)
        return {"R@5": round(float(five), 2), "R@20": round(float(twenty), 2)}


def page(records: list[Record]) -> Iterator[Place]:
    """Yield a table for each kind of tags."""
    parts = [f"**{record['data']}**\n\n{_table(record)}" for record in records]
    parts.append(measured_on(records, f"seed {SEED}"))
    yield Table("descriptions", "\n\n".join(parts))


def _table(record: Record) -> str:
    rows: list[list[Any]] = []
    for weight, at in record["with_texts"].items():
        without = record["without"][weight]
        rows.append(
            [
                "no descriptions" if weight == "None" else weight,
                at_ranks(at["P"]),
                f"{at['PSP@1']:.1f}",
                f"{at['R@20']:.1f}",
                f"{without['R@5']:.1f} / {without['R@20']:.1f}",
            ]
        )
    header = ["`description_weight`", "P@1 / 3 / 5", "PSP@1", "R@20 of rare tags"]
    return table([*header, "R@5 / 20 without texts"], rows)
