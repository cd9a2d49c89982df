"""The same fit writes the same bytes."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import labeltree as lt
from labeltree import HSMClassifier, PLTClassifier, TextTagger
from tests.storage.small_model import X, Y

TEXTS = ["green tea", "black tea", "white bread", "rye bread"]
TAGS = [["tea"], ["tea", "black"], ["bread"], ["bread", "rye"]]


def larger() -> tuple[sparse.csr_array, list[list[str]]]:
    """Rows enough for several threads."""
    rng = np.random.default_rng(0)
    rows = sparse.random_array((400, 60), density=0.1, rng=rng, dtype=np.float32).tocsr()
    return rows, [
        [f"label {j}" for j in np.flatnonzero(row)] for row in rng.random((400, 20)) < 0.1
    ]


def bytes_of(estimator, folder: Path) -> bytes:
    estimator.save(folder / "model.lt")
    return (folder / "model.lt").read_bytes()


def calibrated() -> PLTClassifier:
    rows, labels = larger()
    clf = PLTClassifier(n_trees=2, tree="random", n_jobs=1).fit(rows, labels)
    clf.calibrate(rows, labels, method="depth_isotonic")
    return clf.tune_thresholds(rows, labels, "macro_f1")


@pytest.mark.parametrize(
    "run",
    [
        {"n_jobs": 2},
        {"n_jobs": 3, "verbose": 1},
        {"max_memory": "1GB"},
        {"n_jobs": 2, "max_memory": 10**9, "verbose": 2},
    ],
)
@pytest.mark.parametrize("tree", ["cheapest", "kmeans", "random"])
def test_parameters_of_a_run_do_not_change_the_file(run, tree, tmp_path) -> None:
    rows, labels = larger()
    expected = bytes_of(PLTClassifier(tree=tree, n_jobs=1).fit(rows, labels), tmp_path)
    assert bytes_of(PLTClassifier(tree=tree, **run).fit(rows, labels), tmp_path) == expected


def test_a_checkpoint_does_not_change_the_file(tmp_path) -> None:
    rows, labels = larger()
    expected = bytes_of(PLTClassifier(n_jobs=1).fit(rows, labels), tmp_path)
    clf = PLTClassifier(n_jobs=1, checkpoint_dir=str(tmp_path / "parts")).fit(rows, labels)
    assert bytes_of(clf, tmp_path) == expected


@pytest.mark.parametrize(
    "make",
    [
        lambda: PLTClassifier().fit(X, Y),
        lambda: PLTClassifier(loss="logistic", n_trees=2, tree="random").fit(X, Y),
        lambda: PLTClassifier().fit(pd.DataFrame(X, columns=["sweet", "warm", "größer"]), Y),
        lambda: PLTClassifier().fit(X, Y).quantize(),
        lambda: PLTClassifier(feature_weighting=(0.5, 0.1)).fit(*larger()),
        lambda: PLTClassifier().partial_fit(X, Y),
        lambda: PLTClassifier().fit(X, Y).partial_fit(X, Y),
        lambda: HSMClassifier().fit(X, ["tea", "milk", "bread", "jam", "tea"]),
        lambda: TextTagger(stop_words=["with"]).fit(TEXTS, TAGS),
        lambda: TextTagger(n_features=64).partial_fit(TEXTS, TAGS),
        lambda: TextTagger(classifier=HSMClassifier()).fit(TEXTS, ["a", "b", "c", "c"]),
        calibrated,
    ],
)
def test_a_loaded_estimator_writes_the_file_that_it_came_from(make, tmp_path) -> None:
    expected = bytes_of(make(), tmp_path)
    assert bytes_of(lt.load(tmp_path / "model.lt"), tmp_path) == expected


def test_two_fits_write_the_same_file(tmp_path) -> None:
    assert bytes_of(calibrated(), tmp_path) == bytes_of(calibrated(), tmp_path)


FITTED = """
import sys
from labeltree import PLTClassifier, TextTagger
texts = ["green tea", "black tea", "white bread", "rye bread"]
tags = [["tea"], ["tea", "black"], ["bread"], ["bread", "rye"]]
TextTagger(n_jobs=1, class_weight={"tea": 2.0, "rye": 3.0}).fit(texts, tags).save(sys.argv[1])
"""


def test_the_hashes_of_a_process_do_not_change_the_file(tmp_path) -> None:
    files = []
    for seed in ("0", "1", "12345"):
        path = tmp_path / f"{seed}.lt"
        environment = os.environ | {"PYTHONHASHSEED": seed}
        subprocess.run([sys.executable, "-c", FITTED, path], check=True, env=environment)
        files.append(path.read_bytes())
    assert files[0] == files[1] == files[2]


def test_the_types_of_numbers_do_not_change_the_file(tmp_path) -> None:
    expected = bytes_of(PLTClassifier(C=2.0, threshold=0.25).fit(X, Y), tmp_path)
    clf = PLTClassifier(C=np.float64(2.0), threshold=np.float32(0.25)).fit(X, Y)
    assert bytes_of(clf, tmp_path) == expected
