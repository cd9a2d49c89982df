"""A reader in another thread sees the state before or after a call that learns, never between."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier, Event, get_ident
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

from labeltree import PLTClassifier, TextTagger, load

X = np.eye(6, dtype=np.float32)
FEW = [["a"], ["b"], ["a"], ["b"], ["a"], ["b"]]
MANY = [["p", "q"], ["q"], ["r"], ["s"], ["t"], ["u", "p"]]


def read_while(learn: Callable[[], None], read: Callable[[], Any], n_readers: int = 3) -> list[Any]:
    """Return what readers saw while somebody learned."""
    done = Event()

    def reader() -> list[Any]:
        seen = [read()]
        while not done.is_set():
            seen.append(read())
        return seen

    with ThreadPoolExecutor(n_readers + 1) as pool:
        readers = [pool.submit(reader) for _ in range(n_readers)]
        try:
            pool.submit(learn).result()
        finally:
            done.set()
        return [one for future in readers for one in future.result()]


def test_a_reader_beside_fit_sees_one_fit_or_the_other() -> None:
    clf = PLTClassifier(n_jobs=1, threshold=0.1)
    expected = [clf.fit(X, Y).predict_labels(X) for Y in (FEW, MANY)]

    def fit_in_turns() -> None:
        for n in range(30):
            clf.fit(X, (FEW, MANY)[n % 2])

    for seen in read_while(fit_in_turns, lambda: clf.predict_labels(X)):
        assert seen in expected


def test_a_reader_beside_calibrate_and_quantize_sees_whole_answers() -> None:
    clf = PLTClassifier(n_jobs=1).fit(X, MANY)
    plain = clf.top_k(X, 3)[0].tolist()

    def change() -> None:
        for _ in range(30):
            clf.calibrate(X, MANY, "sigmoid").calibrate(method=None)

    assert all(seen == plain for seen in read_while(change, lambda: clf.top_k(X, 3)[0].tolist()))


@pytest.mark.parametrize("known", [FEW, MANY])
def test_names_belong_to_their_model_while_rows_are_learned(known: list[list[str]]) -> None:
    clf = PLTClassifier(n_jobs=1).partial_fit(X, known)

    def learn() -> None:
        for n in range(40):
            clf.partial_fit(X[[n % 6]], [[f"new {n}"]])

    def read() -> tuple[int, int]:
        state = clf._fitted
        return state.model.n_labels, len(state.model_classes)

    for n_labels, n_names in read_while(learn, read):
        assert n_labels == n_names
    assert len(clf.classes_) == clf.model_.n_labels == 40 + len({y for row in known for y in row})


def test_learners_exclude_each_other() -> None:
    clf = PLTClassifier(n_jobs=1).partial_fit(X, MANY)
    with ThreadPoolExecutor(4) as pool:
        jobs = [pool.submit(clf.partial_fit, X, [[f"{j}"]] * 6) for j in range(40)]
        for job in jobs:
            job.result()
    assert clf.n_rows_ == 6 * 41
    assert set(clf.classes_) == {"p", "q", "r", "s", "t", "u", *map(str, range(40))}


@pytest.mark.parametrize("new", [PLTClassifier(n_jobs=1), TextTagger(n_features=2**10, n_jobs=1)])
def test_first_calls_of_partial_fit_exclude_each_other(new: Any) -> None:
    rows = X if isinstance(new, PLTClassifier) else ["green tea"] * 6
    for _ in range(5):
        one = clone(new)
        together = Barrier(4)

        def learn(name: str, one: Any = one, together: Barrier = together) -> None:
            together.wait()
            one.partial_fit(rows, [[name]] * 6)

        with ThreadPoolExecutor(4) as pool:
            list(pool.map(learn, "abcd"))
        assert set(one.classes_) == {*"abcd"}


def test_a_file_saved_beside_learning_is_whole(tmp_path: Path) -> None:
    clf = PLTClassifier(n_jobs=1).partial_fit(X, MANY)

    def learn() -> None:
        for n in range(30):
            clf.partial_fit(X[[n % 6]], [[f"new {n}"]])

    def save() -> tuple[int, int]:
        path = tmp_path / f"{get_ident()}.lt"
        clf.save(path)
        loaded = load(path)
        return len(loaded.classes_), len(loaded.partial_fit(X, MANY).classes_)

    for n_classes, n_learned in read_while(learn, save, n_readers=2):
        assert n_classes == n_learned


@pytest.mark.parametrize("way", [copy.copy, copy.deepcopy, lambda e: pickle.loads(pickle.dumps(e))])
def test_a_copy_of_an_estimator_that_has_learned_can_learn(way: Callable[[Any], Any]) -> None:
    clf = way(PLTClassifier(n_jobs=1).partial_fit(X, MANY))
    assert clf.partial_fit(X, FEW).n_rows_ == 12
