"""Train on texts of a Parquet file that do not fit into memory.

python examples/mapped_rows.py docs.parquet rows.mapped model.lt

Words are hashed to numbered features, and the rows are written to files in a folder, in constant
memory. Training maps these files, and the plan says beforehand how much memory it needs.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import islice
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import HashingVectorizer

import labeltree as lt

N_FEATURES = 2**18
CHUNK = 8192  # texts at once


def main(source: str, folder: str, output: str) -> None:
    """Write the rows, print the plan, train and save the model."""
    lt.data.write_mapped(folder, hashed_parts(source))
    X, rows = lt.data.read_mapped(folder)
    plan = lt.plan(X, rows, trees=["cheapest"])
    print(plan.table())
    clf = lt.PLTClassifier(tree=plan.best.tree).fit(X, rows)
    print(clf.fit_report_)
    clf.save(output)


def hashed_parts(source: str) -> Iterator[tuple[Any, list[list[str]]]]:
    """Iterate over features and tags of some texts at a time."""
    words = HashingVectorizer(n_features=N_FEATURES, alternate_sign=False, dtype=np.float32)
    rows = lt.data.read_parquet(source)
    while chunk := list(islice(rows, CHUNK)):
        yield words.transform([text for text, _ in chunk]), [tags for _, tags in chunk]


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3])
