"""Build a data set of half a million labels from the file lists of a Debian mirror.

    python -m benchmarks.debian_contents build/debian-contents
    python -m benchmarks.debian_contents build/debian-contents --mirror URL --suite bookworm

Each row is a file of a Debian package: the words of its name and of the name of its package, as
TF-IDF. Its label is the directory that the file is installed to. At most four files per directory
are rows. The mirror is the one that apt is configured with, unless it is given.

The folder gets X.trn.npz, Y.trn.npz, X.tst.npz and Y.tst.npz.
"""

from __future__ import annotations

import argparse
import gzip
import re
import subprocess
import urllib.request
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from labeltree.data import write_npz

ARCHITECTURES = ("all", "amd64")
MAX_FILES = 4  # per directory
TEST_SHARE = 6  # one of so many directories with two files or more has a test row
_WORD = re.compile(r"[a-z]+|[0-9]+")


class File(NamedTuple):
    """A file of a package; files with the smallest hashes are drawn."""

    hash: int
    name: str
    package: str


def words(file: File) -> list[str]:
    """Return the words of a file; those of its package have an @.

    Examples
    --------
    >>> words(File(0, "libFoo.so.1", "doc/foo-dev"))
    ['libfoo', 'so', '1', '@foo', '@dev']
    """
    package = file.package.rpartition("/")[2]
    of_package = [f"@{word}" for word in _WORD.findall(package)]
    return [*_WORD.findall(file.name.lower()), *of_package]


def drawn_files(lines: Iterable[str]) -> dict[str, list[File]]:
    """Return up to four files of each directory, in the order of their hashes.

    Examples
    --------
    >>> drawn_files(["usr/bin/tea  food/tea,food/cup"])
    {'usr/bin': [File(hash=2613678549, name='tea', package='food/tea')]}
    """
    found: dict[str, list[File]] = {}
    for line in lines:
        path, _, packages = line.rstrip().rpartition(" ")
        directory, _, name = path.rstrip().rpartition("/")
        files = found.setdefault(directory, [])
        file = File(zlib.crc32(path.rstrip().encode()), name, packages.partition(",")[0])
        if len(files) == MAX_FILES and file > files[-1]:
            continue
        files.append(file)
        files.sort()
        del files[MAX_FILES:]
    return found


def data_set(files: dict[str, list[File]]) -> dict[str, Any]:
    """Return the matrices X and Y of training and test rows, by name."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    is_test, labels, rows = [], [], []
    for label, directory in enumerate(sorted(files)):
        own = files[directory]
        has_test = len(own) > 1 and zlib.crc32(directory.encode()) % TEST_SHARE == 0
        is_test += [has_test and place == 0 for place in range(len(own))]
        labels += [label] * len(own)
        rows += own
    train, test = np.flatnonzero(~np.array(is_test)), np.flatnonzero(is_test)
    vectorizer = TfidfVectorizer(analyzer=words, min_df=2, dtype=np.float32)
    indicator = sparse.csr_array(
        (np.ones(len(rows), np.uint8), np.array(labels, np.int32), np.arange(len(rows) + 1)),
        shape=(len(rows), len(files)),
    )
    return {
        "X.trn": sparse.csr_array(vectorizer.fit_transform([rows[i] for i in train])),
        "X.tst": sparse.csr_array(vectorizer.transform([rows[i] for i in test])),
        "Y.trn": indicator[train],
        "Y.tst": indicator[test],
    }


def mirrors() -> Iterator[tuple[str, str]]:
    """Yield address and suite of the archives that apt is configured with, releases first."""
    command = ["apt-get", "indextargets", "--format", "$(REPO_URI) $(RELEASE)"]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    pairs = sorted({tuple(line.split()) for line in listed.splitlines()})
    for pair in sorted(pairs, key=lambda pair: ("-" in pair[1], pair)):
        yield pair[0], pair[1]


def lines_of(mirror: str, suite: str) -> Iterator[str]:
    """Yield the lines of the file lists of a mirror."""
    for architecture in ARCHITECTURES:
        address = f"{mirror.rstrip('/')}/dists/{suite}/main/Contents-{architecture}.gz"
        with urllib.request.urlopen(address) as answer, gzip.open(answer, "rt") as lines:
            yield from lines


def options(arguments: list[str] | None = None) -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.debian_contents",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--mirror", help="address of the archive (default: that of apt)")
    parser.add_argument("--suite", help="such as bookworm (default: that of apt)")
    asked = parser.parse_args(arguments)
    if (asked.mirror is None) != (asked.suite is None):
        parser.error("--mirror and --suite must be given together, but one is missing")
    return asked


def main(arguments: list[str] | None = None) -> None:
    """Write the data set."""
    asked = options(arguments)
    mirror, suite = (asked.mirror, asked.suite) if asked.mirror else next(mirrors())
    made = data_set(drawn_files(lines_of(mirror, suite)))
    asked.folder.mkdir(parents=True, exist_ok=True)
    for name, matrix in made.items():
        write_npz(asked.folder / f"{name}.npz", matrix)
        print(name, *matrix.shape, f"{matrix.nnz / matrix.shape[0]:.1f} per row")


if __name__ == "__main__":
    main()
