"""Vowpal Wabbit: its online probabilistic label tree, --plt."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from vowpalwabbit import Workspace

from benchmarks.rivals.adapters.matrices import Ranking, from_pairs, one_by_one

# Its tree has leaves without a label and predicts them, too: twice 5 are requested, and these are
# dropped.
_TOP_K = 10


def read(files: Mapping[str, str]) -> str:
    """Return the text file, which it reads itself: parsing is part of its training."""
    return files["text"]


def train(data: str, model_path: str, threads: int, **settings: Any) -> None:
    """Train with its defaults, except for the settings; there is always one thread."""
    with Path(data).open() as file:
        n_labels = 1 + max(
            int(label) for line in file for label in line.split(" ", 1)[0].split(",") if label
        )
    options = " ".join(f"--{name} {value}" for name, value in settings.items())
    model = Workspace(
        f"--plt {n_labels} {options} -d {data} --cache_file {model_path}.cache -k "
        f"-f {model_path} --quiet --no_stdin"
    )
    model.finish()
    Path(f"{model_path}.cache").unlink(missing_ok=True)
    Path(f"{model_path}.n_labels").write_text(str(n_labels))


def load(model_path: str, threads: int) -> tuple[Workspace, int]:
    """Load the model, which fixes the number of predicted labels."""
    n_labels = int(Path(f"{model_path}.n_labels").read_text())
    options = f"-i {model_path} -t --top_k {_TOP_K} --loss_function logistic --quiet --no_stdin"
    return Workspace(options), n_labels


def query(row: Any) -> str:
    """Return a row as a line of its text format."""
    pairs = zip(row.indices.tolist(), row.data.tolist(), strict=True)
    return "| " + " ".join(f"{j}:{value:.6g}" for j, value in pairs)


prepare = one_by_one(query)


def predict_one(model: tuple[Workspace, int], query: str, k: int) -> Any:
    """Return the top labels of one row, among leaves without a label."""
    return model[0].predict(query)


def predict(model: tuple[Workspace, int], rows: list[str], k: int) -> tuple[list[Any], int]:
    """Return the top labels of each row, and the number of labels; it uses one thread."""
    return [model[0].predict(row) for row in rows], model[1]


def ranking(found: tuple[list[Any], int], k: int) -> Ranking:
    """Return the ranking of the labels, without scores."""
    rows, n_labels = found
    return from_pairs([[(label, 0.0) for label in row if label < n_labels] for row in rows], k)
