"""Train on texts of a Parquet file that do not fit into memory.

python examples/mapped_rows.py docs.parquet rows model.lt

Words are hashed to numbered features, and the rows are written to files in a folder, in constant
memory. Training maps these files, and the plan says beforehand how much memory it needs.
"""

from __future__ import annotations

import sys
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.feature_extraction.text import HashingVectorizer

import labeltree as lt

N_FEATURES = 2**18
CHUNK = 8192  # texts at once
TYPES = {
    "values": np.float32,
    "features": np.int32,
    "row_lengths": np.int64,
    "labels": np.int32,
    "label_lengths": np.int64,
}


def main(source: str, folder: Path, output: str) -> None:
    """Write the rows, print the plan, train and save the model."""
    names = write_rows(source, folder)
    X, Y = mapped_rows(folder, len(names))
    plan = lt.plan(X, Y, trees=["cheapest"])
    print(plan.table())
    clf = lt.PLTClassifier(tree=plan.best.tree).fit(X, Y)
    print(clf.fit_report_)
    clf.save(output)
    (folder / "names.txt").write_text("\n".join(names))


def write_rows(source: str, folder: Path) -> list[str]:
    """Write features and label numbers to the folder, and return the names of the labels."""
    folder.mkdir(exist_ok=True)
    words = HashingVectorizer(n_features=N_FEATURES, alternate_sign=False, dtype=np.float32)
    number: dict[str, int] = {}
    rows = lt.data.read_parquet(source)
    with ExitStack() as stack:
        files = {name: stack.enter_context((folder / name).open("wb")) for name in TYPES}
        while chunk := list(islice(rows, CHUNK)):
            X = words.transform([text for text, _ in chunk])
            X.sort_indices()
            labels = [{number.setdefault(tag, len(number)) for tag in tags} for _, tags in chunk]
            parts: dict[str, Any] = {
                "values": X.data,
                "features": X.indices,
                "row_lengths": np.diff(X.indptr),
                "labels": [label for row in labels for label in sorted(row)],
                "label_lengths": [len(row) for row in labels],
            }
            for name, part in parts.items():
                np.asarray(part, TYPES[name]).tofile(files[name])
    return list(number)


def mapped_rows(folder: Path, n_labels: int) -> tuple[Any, Any]:
    """Return X and Y over the files of the folder."""
    parts = {name: np.memmap(folder / name, kind, "r") for name, kind in TYPES.items()}
    begin, label_begin = (
        np.concatenate([[0], np.cumsum(parts[name])]) for name in ("row_lengths", "label_lengths")
    )
    shape = (len(begin) - 1, N_FEATURES)
    X = sparse.csr_array((parts["values"], parts["features"], begin), shape=shape)
    ones = np.broadcast_to(np.uint8(1), len(parts["labels"]))
    Y = sparse.csr_array((ones, parts["labels"], label_begin), shape=(shape[0], n_labels))
    return X, Y


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), sys.argv[3])
