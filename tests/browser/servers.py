"""Servers and small models for the tests of the page."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

from sklearn.datasets import make_multilabel_classification

from labeltree import PLTClassifier
from labeltree.text import TextTagger

HOSTILE = """<img src=x onerror="document.title='taken over'">"""
_ROWS = [
    ("green tea in a pot", ["tea", "drink"]),
    ("black tea with milk", ["tea", "drink", "milk"]),
    ("coffee with milk", ["coffee", "drink", "milk"]),
    ("espresso coffee beans", ["coffee", "drink"]),
    ("rye bread with butter", ["bread", "butter"]),
    ("white bread and rolls", ["bread"]),
    ("butter from sour milk", ["butter", "milk"]),
    ("a suspicious poisoned parcel", [HOSTILE]),
    ("a poisoned letter", [HOSTILE]),
]


def save_tagger(path: Path, *, rows: list[tuple[str, list[str]]] = _ROWS, n_trees: int = 1) -> str:
    """Train a tagger of a deep tree, write it and return the path."""
    texts, tags = zip(*rows * 3, strict=True)
    tree = {"arity": 2, "max_leaf_size": 2}
    tagger = TextTagger(tree="kmeans", tree_params=tree, n_trees=n_trees, n_jobs=1, min_df=1)
    tagger.fit(list(texts), list(tags)).save(path)
    return str(path)


def save_classifier(path: Path) -> str:
    """Train a model of 20 numeric features, write it and return the path."""
    X, Y = make_multilabel_classification(n_samples=200, n_features=20, n_classes=6, random_state=0)
    PLTClassifier(n_jobs=1).fit(X, Y).save(path)
    return str(path)


class Server:
    """A running `labeltree serve`."""

    def __init__(self, *arguments: str, port: int = 0) -> None:
        command = [sys.executable, "-m", "labeltree", "serve", *arguments, f"--port={port}"]
        self._process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=os.environ
        )
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        found = re.search(r"(http://\S+:(\d+)/)(?:#token=(\S+))?", line)
        assert found is not None, line
        self.address, self.port, self.token = found[1], int(found[2]), found[3]
        self.page = found[0]  # with the token in it, unless the server has another

    def stop(self) -> None:
        """End the server and wait."""
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
        self._process.communicate(timeout=30)
