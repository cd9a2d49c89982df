"""The model file has the same bytes, wherever and in whatever order its jobs run."""

import pickle
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

from labeltree import HSMClassifier, PLTClassifier, TextTagger, load
from labeltree.execution import PoolExecutor
from labeltree.training.checkpoint import TreeParts

OPTIONS = {
    "one tree": {},
    "forest": {"tree": "kmeans", "n_trees": 3, "max_samples": 0.8},
    "given tree and builders": {"effort": "high"},
    "rankers": {"rerank": True},
    "logistic": {"loss": "logistic"},
    "pairs of features": {"interactions": 4.0},
}


@dataclass
class Shuffled:
    """Runs jobs in another order than they are given, and some of them twice."""

    n_workers: int = 3
    n_threads: int = 1
    seed: int = 0

    def run(self, work, jobs):
        jobs = list(jobs)
        copied = pickle.loads(pickle.dumps(work))
        for number in np.random.default_rng(self.seed).permutation(len(jobs)).tolist():
            if number % 3 == 0:
                work(jobs[number])
            yield number, copied(jobs[number])


class StoppedError(Exception):
    pass


def data(n_rows: int = 2400):
    rng = np.random.default_rng(0)
    X = sparse.random_array((n_rows, 80), density=0.1, rng=rng, dtype=np.float32)
    Y = sparse.random_array((n_rows, 150), density=0.01, rng=rng).astype(bool)
    return X.tocsr(), Y.tocsr()


def written(model, path) -> bytes:
    model.save(path)
    return path.read_bytes()


@pytest.fixture(scope="module")
def processes():
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        yield pool


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
def test_any_order_of_jobs_gives_the_same_bytes(options, tmp_path) -> None:
    whole = PLTClassifier(n_jobs=1, **options).fit(*data())
    shuffled = PLTClassifier(executor=Shuffled(), **options).fit(*data())
    assert written(shuffled, tmp_path / "b.lt") == written(whole, tmp_path / "a.lt")


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
def test_processes_give_the_same_bytes(options, processes, tmp_path) -> None:
    whole = PLTClassifier(n_jobs=1, **options).fit(*data())
    spread = PLTClassifier(executor=processes, **options).fit(*data())
    assert written(spread, tmp_path / "b.lt") == written(whole, tmp_path / "a.lt")


@pytest.mark.parametrize("n_workers", [1, 2, 5])
def test_any_number_of_workers_gives_the_same_bytes(n_workers, processes, tmp_path) -> None:
    executor = PoolExecutor(processes, n_workers=n_workers)
    spread = PLTClassifier(executor=executor).fit(*data())
    whole = PLTClassifier(n_jobs=1).fit(*data())
    assert written(spread, tmp_path / "b.lt") == written(whole, tmp_path / "a.lt")


def test_classes_and_texts_take_an_executor(tmp_path) -> None:
    X, _ = data(300)
    classes = np.arange(300) % 7
    whole, spread = (
        HSMClassifier(executor=executor).fit(X, classes) for executor in (None, Shuffled())
    )
    assert written(spread, tmp_path / "b.lt") == written(whole, tmp_path / "a.lt")
    texts = [f"word{i % 5} word{i % 7}" for i in range(300)]
    tags = [[f"tag{i % 5}", f"tag{i % 7}"] for i in range(300)]
    whole, spread = (
        TextTagger(executor=executor).fit(texts, tags) for executor in (None, Shuffled())
    )
    assert written(spread, tmp_path / "b.lt") == written(whole, tmp_path / "a.lt")


@pytest.mark.parametrize("seed", range(3))
def test_a_fit_resumes_from_parts_in_any_order(seed, tmp_path, monkeypatch) -> None:
    save, n_saved = TreeParts.save, 0

    def stop(self, packs, part) -> None:
        nonlocal n_saved
        save(self, packs, part)
        n_saved += 1
        if n_saved == 5:
            raise StoppedError

    monkeypatch.setattr(TreeParts, "save", stop)
    folder = tmp_path / "parts"
    with pytest.raises(StoppedError):
        PLTClassifier(executor=Shuffled(seed=seed), checkpoint_dir=folder).fit(*data())
    again = []

    def record(self, packs, part) -> None:
        again.append(packs)
        save(self, packs, part)

    kept = TreeParts(folder, 0).finished()
    monkeypatch.setattr(TreeParts, "save", record)
    resumed = PLTClassifier(n_jobs=1, checkpoint_dir=folder).fit(*data())
    assert len(kept) == 5
    assert not any(
        first < last_kept and first_kept < last
        for first, last in again
        for first_kept, last_kept in kept
    )
    whole = PLTClassifier(n_jobs=1).fit(*data())
    assert written(resumed, tmp_path / "b.lt") == written(whole, tmp_path / "a.lt")


def test_the_memory_limit_is_one_of_each_worker(processes) -> None:
    with pytest.raises(ValueError, match="max_memory must be at least"):
        PLTClassifier(executor=processes, max_memory=100).fit(*data())


def test_copies_share_the_executor(processes) -> None:
    clf = PLTClassifier(executor=processes)
    assert clone(clf).executor is processes
    assert clone(clone(TextTagger(classifier=clf))).classifier.executor is processes
    assert clf.get_params()["executor"] is processes
    assert PLTClassifier().set_params(executor=processes).executor is processes


def test_neither_files_nor_pickles_have_the_executor(processes, tmp_path) -> None:
    clf = PLTClassifier(executor=processes).fit(*data(100))
    clf.save(tmp_path / "model.lt")
    assert load(tmp_path / "model.lt").executor is None
    assert pickle.loads(pickle.dumps(clf)).executor is None
    assert clf.executor is processes


def test_a_wrong_executor_is_refused_by_fit() -> None:
    with pytest.raises(TypeError, match="executor must be None"):
        PLTClassifier(executor=2).fit(*data(100))
