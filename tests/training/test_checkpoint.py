import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from labeltree import PLTClassifier
from labeltree.training.checkpoint import TreeParts, fingerprint

# Runs the same fit as `estimator` below, and is killed by SIGKILL after the fourth part.
KILLED = """
import os, signal, sys
sys.path.insert(0, sys.argv[1])
from tests.training.test_checkpoint import TreeParts, data, estimator

save = TreeParts.save

def save_and_die(self, packs, part):
    save(self, packs, part)
    if packs[0] >= 3:
        os.kill(os.getpid(), signal.SIGKILL)

TreeParts.save = save_and_die
estimator(sys.argv[2]).fit(*data())
"""


def data(seed: int = 0):
    rng = np.random.default_rng(seed)
    X = sparse.random_array((200, 30), density=0.2, rng=rng, dtype=np.float32)
    Y = sparse.random_array((200, 60), density=0.04, rng=rng).astype(bool)
    return X.tocsr(), Y.tocsr()


def estimator(folder=None, **options) -> PLTClassifier:
    common = {"tree": "kmeans", "tree_params": {"max_leaf_size": 2}, "n_trees": 2, "n_jobs": 1}
    return PLTClassifier(checkpoint_dir=folder, **(common | options))


def assert_same_model(one: PLTClassifier, other: PLTClassifier) -> None:
    assert one.trees_ == other.trees_
    for mine, theirs in zip(one.model_.layouts, other.model_.layouts, strict=True):
        for a, b in zip(mine, theirs, strict=True):
            np.testing.assert_array_equal(a, b)


class StoppedError(Exception):
    pass


def stop_after(n_parts: int, monkeypatch) -> list[int]:
    """Make a fit fail after n_parts parts; return the list of the first packs of saved parts."""
    made: list[int] = []
    save = TreeParts.save

    def count(self, packs, part) -> None:
        save(self, packs, part)
        made.append(packs[0])
        if len(made) == n_parts:
            raise StoppedError

    monkeypatch.setattr(TreeParts, "save", count)
    return made


def test_a_fit_that_was_killed_while_it_made_its_folder_starts_again(tmp_path) -> None:
    (tmp_path / ".checkpoint.json.0123abcd.part").write_bytes(b'{"format"')
    assert_same_model(estimator(tmp_path).fit(*data()), estimator().fit(*data()))


def test_a_killed_fit_resumes_to_the_same_model(tmp_path, monkeypatch) -> None:
    folder = tmp_path / "parts"
    root = str(Path(__file__).parents[2])
    killed = subprocess.run([sys.executable, "-c", KILLED, root, str(folder)], check=False)
    assert killed.returncode == -signal.SIGKILL
    assert len(list(folder.glob("tree0-*.npz"))) == 4
    made = stop_after(0, monkeypatch)
    resumed = estimator(folder).fit(*data())
    assert made[0] == 4
    assert_same_model(resumed, estimator().fit(*data()))
    assert resumed.n_visits_ == estimator().fit(*data()).n_visits_
    assert not folder.exists()


def test_a_stop_in_the_second_tree_keeps_the_first(tmp_path, monkeypatch) -> None:
    whole = estimator().fit(*data())
    made = stop_after(-1, monkeypatch)
    estimator(tmp_path / "count").fit(*data())
    n_first = made[1:].index(0) + 1
    monkeypatch.undo()
    stop_after(n_first + 2, monkeypatch)
    with pytest.raises(StoppedError):
        estimator(tmp_path / "parts").fit(*data())
    monkeypatch.undo()
    made = stop_after(-1, monkeypatch)
    resumed = estimator(tmp_path / "parts").fit(*data())
    assert 0 not in made
    assert_same_model(resumed, whole)


def test_a_resumed_fit_reports_the_same_convergence(tmp_path, monkeypatch) -> None:
    with pytest.warns(ConvergenceWarning) as whole:
        estimator(C=100.0).fit(*data())
    stop_after(3, monkeypatch)
    with pytest.raises(StoppedError):
        estimator(tmp_path / "parts", C=100.0).fit(*data())
    monkeypatch.undo()
    with pytest.warns(ConvergenceWarning) as resumed:
        estimator(tmp_path / "parts", C=100.0).fit(*data())
    assert str(resumed[0].message) == str(whole[0].message)


def test_a_fit_may_resume_with_another_number_of_threads(tmp_path, monkeypatch) -> None:
    stop_after(3, monkeypatch)
    with pytest.raises(StoppedError):
        estimator(tmp_path / "parts").fit(*data())
    monkeypatch.undo()
    resumed = estimator(tmp_path / "parts", n_jobs=3).fit(*data())
    assert_same_model(resumed, estimator().fit(*data()))


def test_ctrl_c_keeps_the_checkpoint(tmp_path, monkeypatch) -> None:
    save = TreeParts.save

    def interrupt(self, packs, part) -> None:
        save(self, packs, part)
        os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(TreeParts, "save", interrupt)
    clf = estimator(tmp_path / "parts")
    with pytest.raises(KeyboardInterrupt):
        clf.fit(*data())
    assert not hasattr(clf, "model_")
    assert (tmp_path / "parts" / "checkpoint.json").exists()


@pytest.mark.parametrize(
    ("options", "seed"),
    [({"C": 2.0}, 0), ({}, 1), ({"random_state": 1}, 0), ({"normalize": False}, 0)],
    ids=["other settings", "other data", "other trees", "other features"],
)
def test_the_checkpoint_of_another_fit_is_refused(tmp_path, monkeypatch, options, seed) -> None:
    stop_after(2, monkeypatch)
    with pytest.raises(StoppedError):
        estimator(tmp_path / "parts").fit(*data())
    before = sorted((tmp_path / "parts").iterdir())
    with pytest.raises(ValueError, match="belongs to another fit: data, trees or settings differ"):
        estimator(tmp_path / "parts", **options).fit(*data(seed))
    assert sorted((tmp_path / "parts").iterdir()) == before


def test_other_files_are_not_touched(tmp_path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(ValueError, match="must be a new or empty folder"):
        estimator(tmp_path).fit(*data())
    with pytest.raises(ValueError, match=r"must be a folder, but .* is a file"):
        estimator(tmp_path / "mine.txt").fit(*data())
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_errors_name_corrupt_parts(tmp_path, monkeypatch) -> None:
    stop_after(2, monkeypatch)
    with pytest.raises(StoppedError):
        estimator(tmp_path / "parts").fit(*data())
    broken = next((tmp_path / "parts").glob("tree0-packs0-*.npz"))
    broken.write_bytes(b"PK but not a zip")
    with pytest.raises(ValueError, match=r"packs0-1\.npz is corrupt .*; remove it"):
        estimator(tmp_path / "parts").fit(*data())
    (tmp_path / "parts" / "checkpoint.json").write_text("{")
    with pytest.raises(ValueError, match=r"checkpoint\.json is corrupt; remove the folder"):
        estimator(tmp_path / "parts").fit(*data())


def test_a_partially_written_part_is_removed_after_the_fit(tmp_path, monkeypatch) -> None:
    stop_after(2, monkeypatch)
    with pytest.raises(StoppedError):
        estimator(tmp_path / "parts").fit(*data())
    monkeypatch.undo()
    (tmp_path / "parts" / ".tree0-packs2-3.npz.12345678.part").write_bytes(b"half")
    estimator(tmp_path / "parts").fit(*data())
    assert not (tmp_path / "parts").exists()


def test_fingerprints_depend_on_values_types_and_boundaries() -> None:
    ones = np.ones(2, np.int32)
    different = [
        [ones, ones],
        [np.ones(4, np.int32)],
        [ones.astype(np.int64), ones],
        [np.zeros(2, np.int32), ones],
        [ones, None],
        ["a", "b"],
        ["ab"],
    ]
    assert len({fingerprint(values) for values in different}) == len(different)


def test_a_resumed_fit_has_the_same_calibration(tmp_path: Path, monkeypatch) -> None:
    X, Y = data()
    whole = estimator(validation_fraction=0.3).fit(X, Y)
    with monkeypatch.context() as patch:
        stop_after(3, patch)
        with pytest.raises(StoppedError):
            estimator(tmp_path / "c", validation_fraction=0.3).fit(X, Y)
    resumed = estimator(tmp_path / "c", validation_fraction=0.3).fit(X, Y)
    assert_same_model(resumed, whole)
    np.testing.assert_array_equal(resumed.model_.curve.y, whole.model_.curve.y)


def test_a_stop_in_the_rankers_keeps_the_trees(tmp_path, monkeypatch) -> None:
    whole = estimator(rerank=True).fit(*data())
    made = stop_after(-1, monkeypatch)
    estimator(tmp_path / "count", rerank=True).fit(*data())
    n_of_trees = len(made) - made[::-1].index(0) - 1
    monkeypatch.undo()
    stop_after(n_of_trees + 1, monkeypatch)
    with pytest.raises(StoppedError):
        estimator(tmp_path / "parts", rerank=True).fit(*data())
    monkeypatch.undo()
    made = stop_after(-1, monkeypatch)
    resumed = estimator(tmp_path / "parts", rerank=True).fit(*data())
    assert 0 not in made
    assert_same_model(resumed, whole)
    for mine, theirs in zip(
        resumed.model_.rankers.layout, whole.model_.rankers.layout, strict=True
    ):
        np.testing.assert_array_equal(mine, theirs)
