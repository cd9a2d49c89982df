"""Training from windows of rows: what is in memory does not change the weights."""

import numpy as np
import pytest
from scipy import sparse

from labeltree.data import as_features, as_labels
from labeltree.model.layout import NodeWeights
from labeltree.training.memory import MemoryUse, data_bytes, memory_use
from labeltree.training.nodes import PackJob, PackTraining, make_trainer
from labeltree.training.solver_settings import SolverSettings
from labeltree.training.starting_weights import WarmStart
from labeltree.trees import LabelTree

# Windows have at least the rows of two calls of the solver's loops, about 1,000. Children of the
# root have 2,000 rows, and their features are renumbered.
N_ROWS = 10_000


def tree() -> LabelTree:
    return LabelTree.from_nested([list(range(first, first + 6)) for first in range(0, 30, 6)])


def rows(n_rows: int = N_ROWS, is_full: bool = False):
    rng = np.random.default_rng(0)
    if is_full:
        X = sparse.csr_array(rng.random((n_rows, 8), np.float32) + np.float32(0.1))
    else:
        X = sparse.random_array((n_rows, 60), density=0.08, rng=rng, dtype=np.float32).tocsr()
    labels = rng.integers(30, size=n_rows)
    Y = sparse.csr_array((np.ones(n_rows), labels, np.arange(n_rows + 1)), shape=(n_rows, 30))
    return as_features(X), as_labels(Y)


def weights(trainer, window_bytes: float, n_threads: int = 1):
    return trainer.train(0, len(trainer.costs()), n_threads, window_bytes)


def assert_same(found, expected) -> None:
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one, other)


HELD = np.arange(0, N_ROWS, 5, dtype=np.int32)


@pytest.mark.parametrize("is_full", [False, True], ids=["sparse", "full"])
@pytest.mark.parametrize(
    ("settings", "options"),
    [
        (SolverSettings(), {}),
        (SolverSettings(loss="logistic", max_iter=3), {"held": HELD}),
        (SolverSettings(max_iter=4), {"held": HELD, "sample_weight": np.linspace(0.5, 2, N_ROWS)}),
    ],
    ids=["all rows", "held rows", "weighted rows"],
)
def test_a_window_gives_the_same_weights(settings, options, is_full) -> None:
    if "sample_weight" in options:
        options = options | {"sample_weight": options["sample_weight"].astype(np.float32)}
    X, Y = rows(is_full=is_full)
    trainer = make_trainer(tree(), X, Y, settings, **options)
    whole = weights(trainer, 0.0)
    least = trainer.min_window_bytes
    assert least < 0.4 * (X.data.nbytes + X.indices.nbytes)
    for window_bytes in (least, 1.7 * least):
        assert_same(weights(trainer, window_bytes), whole)


def test_several_threads_have_windows_of_their_own() -> None:
    X, Y = rows()
    trainer = make_trainer(tree(), X, Y, SolverSettings(max_iter=3))
    assert_same(weights(trainer, trainer.min_window_bytes, 3), weights(trainer, 0.0))


def test_a_warm_start_gives_the_same_weights_from_a_window() -> None:
    X, Y = rows()
    grown = tree()
    indptr = np.arange(grown.n_nodes + 1)
    ones = np.ones(grown.n_nodes, np.float32)
    before = NodeWeights(indptr, np.full(grown.n_nodes, 7, np.int32), ones, 0 * ones)
    start = WarmStart(before, ones > 0, 100, has_root=False)
    trainer = make_trainer(grown, X, Y, SolverSettings(max_iter=3), warm_start=start)
    assert_same(weights(trainer, trainer.min_window_bytes), weights(trainer, 0.0))


def test_a_window_holds_rows_that_are_multiplied() -> None:
    rng = np.random.default_rng(0)
    X = as_features(rng.random((1100, 4000), np.float32) * (rng.random((1100, 4000)) < 0.9))
    Y = as_labels(rng.integers(300, size=(1100, 1)).tolist(), n_labels=300)
    star = LabelTree.from_nested(list(range(300)))
    trainer = make_trainer(star, X, Y, SolverSettings(max_iter=2))
    least = trainer.min_window_bytes
    assert least == X.data.nbytes + X.indices.nbytes
    assert_same(weights(trainer, least), weights(trainer, 0.0))


def test_a_window_that_is_too_small_is_refused() -> None:
    X, Y = rows(100)
    trainer = make_trainer(tree(), X, Y, SolverSettings())
    with pytest.raises(ValueError, match="a window must hold"):
        weights(trainer, trainer.min_window_bytes - 8)


def mapped(X, folder):
    """Return the same rows, mapped from files."""
    parts = []
    for part in ("data", "indices", "indptr"):
        np.save(folder / f"{part}.npy", getattr(X, part))
        parts.append(np.load(folder / f"{part}.npy", mmap_mode="r"))
    return as_features(sparse.csr_array(tuple(parts), shape=X.shape))


def test_rows_that_fit_have_no_window(tmp_path) -> None:
    X, Y = rows()
    trainer = make_trainer(tree(), X, Y, SolverSettings())
    enough = trainer.shared_bytes + trainer.thread_bytes()
    assert memory_use(trainer, X, Y, 2, enough) == MemoryUse(1, 0.0)
    on_disk = mapped(X, tmp_path)
    assert memory_use(trainer, on_disk, Y, 2, enough + data_bytes(X, Y)) == MemoryUse(1, 0.0)
    with pytest.raises(ValueError, match="max_memory must be at least"):
        memory_use(trainer, on_disk, Y, 2, trainer.shared_bytes)


class Needs:
    """A trainer that needs this much memory."""

    shared_bytes = 1e6
    min_window_bytes = 1e5

    def thread_bytes(self, window_bytes: float = 0.0) -> float:
        return 1e6 + window_bytes


@pytest.mark.parametrize(("max_memory", "n_threads"), [(4e6, 1), (5.5e6, 2)])
def test_rows_that_do_not_fit_have_windows(max_memory, n_threads, tmp_path) -> None:
    X, Y = rows(10_000, is_full=True)
    on_disk = mapped(sparse.vstack([X] * 8, format="csr"), tmp_path)
    use = memory_use(Needs(), on_disk, Y, 4, max_memory)
    assert use.n_threads == n_threads
    assert use.window_bytes >= Needs.min_window_bytes
    assert Needs.shared_bytes + n_threads * Needs().thread_bytes(use.window_bytes) < max_memory


def test_a_job_is_described_by_its_packs_and_the_memory_of_its_worker() -> None:
    X, Y = rows()
    training = PackTraining(tree(), X, Y, SolverSettings())
    assert training.text_of(PackJob((0, 3))).startswith("packs 0 to 2 of nodes, about")


def test_pages_that_are_given_back_come_again_from_the_file(tmp_path) -> None:
    X, Y = rows()
    trainer = make_trainer(
        tree(), mapped(X, tmp_path), Y, SolverSettings(max_iter=3), max_memory=1e6
    )
    expected = make_trainer(tree(), X, Y, SolverSettings(max_iter=3))
    assert_same(weights(trainer, trainer.min_window_bytes), weights(expected, 0.0))
