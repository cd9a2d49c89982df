"""fastText and `labeltree.torch.fit` on the CPU, on the held-out split of debian-files.

python -m benchmarks.torch.beside_fasttext DATA BINARY --output results.json
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch

from benchmarks.torch.__main__ import allow_missing_core

N_HELD_OUT = 100_000
N_DIMENSIONS = 128
FASTTEXT = (
    {"loss": "hs", "epoch": 5},
    {"loss": "hs", "epoch": 25, "lr": 0.2},
    {"loss": "hs", "epoch": 25, "lr": 0.5},
)
FITS: tuple[dict[str, Any], ...] = (
    {"n_epochs": 1, "n_prototypes": 1, "tree_epochs": 0},
    {"n_epochs": 2, "n_prototypes": 1},
)


def main() -> None:
    """Train all, one after the other, with the same number of threads."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("binary", help="the program fasttext")
    parser.add_argument("--threads", type=int, default=8)
    parser.add_argument("--output", type=Path, default=Path("fasttext.json"))
    options = parser.parse_args()
    allow_missing_core()
    from benchmarks.torch.data import load
    from benchmarks.torch.timing import Recorder

    torch.set_num_threads(options.threads)
    recorder = Recorder(options.output)
    X, Y = load(options.data, "debian-files", "trn")
    order = torch.randperm(X.shape[0], generator=torch.Generator().manual_seed(2026)).numpy()
    held, rest = order[:N_HELD_OUT], order[N_HELD_OUT:]
    rows = X[rest], Y[rest], X[held], Y[held]
    with tempfile.TemporaryDirectory() as folder:
        _fasttext(recorder, options.binary, options.threads, Path(folder), *rows)
    for settings in FITS:
        seconds, accuracy = _fit(settings, *rows)
        recorder.add(
            what="fit on the CPU",
            threads=options.threads,
            n_dimensions=N_DIMENSIONS,
            **settings,
            seconds=seconds,
            acc1=accuracy,
        )


def _fasttext(
    recorder: Any, binary: str, threads: int, folder: Path, X: Any, Y: Any, X_held: Any, Y_held: Any
) -> None:
    train, test, model = (str(folder / name) for name in ("trn.txt", "tst.txt", "model"))
    _write(train, X, Y)
    _write(test, X_held, Y_held)
    for settings in FASTTEXT:
        given = [word for name, value in settings.items() for word in (f"-{name}", str(value))]
        fixed = ["-input", train, "-output", model, "-thread", str(threads), "-verbose", "0"]
        start = time.perf_counter()
        subprocess.run([binary, "supervised", *fixed, *given], check=True)
        seconds = time.perf_counter() - start
        test_command = [binary, "test", f"{model}.bin", test, "1"]
        found = subprocess.run(test_command, check=True, capture_output=True, text=True)
        words = found.stdout.split()
        accuracy = float(words[words.index("P@1") + 1])
        recorder.add(what="fastText", threads=threads, **settings, seconds=seconds, acc1=accuracy)


def _write(path: str, X: Any, Y: Any) -> None:
    words = np.array([f"f{j}" for j in range(X.shape[1])])
    with Path(path).open("w", encoding="ascii") as file:
        for i, label in enumerate(Y.indices):
            row = words[X.indices[X.indptr[i] : X.indptr[i + 1]]]
            file.write(f"__label__{label} {' '.join(row)}\n")


def _fit(settings: dict[str, Any], X: Any, Y: Any, X_held: Any, Y_held: Any) -> tuple[float, float]:
    from labeltree.torch import BagEncoder, fit

    classes = Y.indices.astype(np.int64)
    start = time.perf_counter()
    encoder = BagEncoder(X.shape[1], N_DIMENSIONS)
    network = fit(X, classes, encoder=encoder, device="cpu", **settings)
    seconds = time.perf_counter() - start
    rows = np.array_split(np.arange(20_000), 20)  # all classes are compared, which takes long
    hits = [network.top_k(X_held[i], 1).classes[:, 0].numpy() == Y_held.indices[i] for i in rows]
    return seconds, float(np.concatenate(hits).mean())


if __name__ == "__main__":
    main()
