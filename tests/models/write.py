"""Writes the model files of this release: python -m tests.models.write

Files of past releases are never written again; a new format gets a new name.
"""

from __future__ import annotations

import json
from pathlib import Path

from labeltree import PLTClassifier
from labeltree.storage.container import VERSION

FOLDER = Path(__file__).parent
X = [[1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [0, 1, 1], [0, 0, 0.5]]
Y = [["tea", "milk"], ["tea"], ["bread"], ["jäger"], ["bread", "jäger"], []]


def main() -> None:
    """Write a model, and beside it what it answers."""
    clf = PLTClassifier(tree="cheapest", class_weight={"tea": 2.0}, n_jobs=1).fit(X, Y)
    clf.save(FOLDER / f"format-{VERSION}.lt")
    answers = {
        "classes": clf.classes_.tolist(),
        "probabilities": clf.predict_proba(X).toarray().tolist(),
    }
    text = json.dumps(answers, indent=1, ensure_ascii=False)
    (FOLDER / f"format-{VERSION}.json").write_text(text + "\n")


if __name__ == "__main__":
    main()
