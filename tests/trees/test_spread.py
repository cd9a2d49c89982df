import pickle
from dataclasses import dataclass

import numpy as np
import pytest
from scipy import sparse

from labeltree import PLTClassifier
from labeltree.data import as_features, as_labels
from labeltree.execution import Threads
from labeltree.trees import blend
from labeltree.trees.spread import short_label_vectors
from labeltree.trees.vectors import native_rows


@dataclass
class Shuffled:
    """Runs jobs last to first, on copies of the work and of the jobs."""

    n_workers: int = 3
    n_threads: int = 1

    def run(self, work, jobs):
        copied = pickle.loads(pickle.dumps((work, list(jobs))))
        for number in range(len(copied[1]) - 1, -1, -1):
            yield number, copied[0](copied[1][number])


def data(n_rows: int, n_labels: int):
    rng = np.random.default_rng(0)
    X = sparse.random_array((n_rows, 60), density=0.1, rng=rng, dtype=np.float32)
    Y = sparse.random_array((n_rows, n_labels), density=min(3 / n_labels, 0.5), rng=rng).astype(
        bool
    )
    return as_features(X), as_labels(Y)


@pytest.mark.parametrize("n_labels", [1, 2, 40, 9000])
def test_the_tree_does_not_depend_on_the_executor(n_labels) -> None:
    X, Y = data(3000, n_labels)
    spread = blend(X, Y, similarity=0.75, executor=Shuffled())
    assert spread == blend(X, Y, similarity=0.75, n_jobs=1)


@pytest.mark.parametrize("n_workers", [2, 7])
def test_label_vectors_do_not_depend_on_the_number_of_workers(n_workers) -> None:
    rows, _ = native_rows(*data(500, 30))
    one = short_label_vectors(rows, Threads())
    several = short_label_vectors(rows, Shuffled(n_workers))
    for a, b in zip(one, several, strict=True):
        np.testing.assert_array_equal(a, b)


def test_an_executor_is_not_an_option_of_a_tree() -> None:
    X, Y = data(50, 5)
    with pytest.raises(ValueError, match=r"tree_params must be among .*, but one is 'executor'"):
        PLTClassifier(tree_params={"executor": None}).fit(X, Y)
