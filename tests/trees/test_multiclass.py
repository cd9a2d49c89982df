import itertools

import numpy as np
import pytest

from labeltree import _core, cost, trees
from tests.interrupting import interrupted
from tests.reference import counts as reference


def price(tree: trees.LabelTree, counts: np.ndarray) -> int:
    return int(counts @ cost.leaf_costs(tree))


def distributions(seed: int) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    m = int(rng.integers(50, 131))
    real = {
        "uniform": rng.integers(1, 10**6, m),
        "zipf": 1e9 / np.arange(1, m + 1) ** rng.uniform(0.8, 1.5),
        "geometric": 1e12 * rng.uniform(0.8, 0.95) ** np.arange(m),
        "log-uniform": 10 ** rng.uniform(0, 8, m),
        "small": rng.integers(0, 6, m),
    }
    return {name: np.maximum(counts, name != "small").astype(int) for name, counts in real.items()}


def test_cost_is_optimal_for_all_small_counts() -> None:
    for m in range(1, 6):
        for counts in itertools.combinations_with_replacement(range(6), m):
            best = reference.lowest_multiclass_cost(counts)
            assert price(trees.multiclass(counts), np.array(counts)) == best


def test_cost_is_optimal_for_seven_labels() -> None:
    rng = np.random.default_rng(1)
    for _ in range(60):
        counts = (10 ** rng.uniform(0, rng.uniform(0.5, 4), 7)).astype(int)
        best = reference.lowest_multiclass_cost(counts.tolist())
        assert price(trees.multiclass(counts), counts) == best


@pytest.mark.parametrize("seed", range(4))
def test_hybrid_is_within_a_thousandth_of_exact(seed: int) -> None:
    for counts in distributions(seed).values():
        exact = price(trees.multiclass(counts), counts)
        hybrid = price(trees.multiclass(counts, exact_up_to=0), counts)
        assert exact <= hybrid <= 1.001 * exact


@pytest.mark.parametrize("seed", range(4))
def test_cost_never_exceeds_that_of_huffman(seed: int) -> None:
    for counts in distributions(seed).values():
        hybrid = trees.multiclass(counts, exact_up_to=0)
        assert price(hybrid, counts) <= price(trees.huffman(counts), counts)
        assert price(hybrid, counts) <= price(trees.huffman(counts, arity=2), counts)


@pytest.mark.parametrize("m", [100, 81, 128])
def test_cost_of_equal_counts_matches_the_recursion(m: int) -> None:
    # Every node splits its equal labels evenly into two or three parts.
    best = [0, 0]
    for size in range(2, m + 1):
        two = 2 * size + best[size // 2] + best[size - size // 2]
        thirds = [(size + i) // 3 for i in range(3)]
        three = 3 * size + sum(best[part] for part in thirds)
        best.append(min(two, three) if size > 2 else two)
    assert price(trees.multiclass(np.ones(m, int)), np.ones(m, int)) == best[m]


def test_degrees_are_two_and_three() -> None:
    degree = trees.multiclass(np.arange(1, 101)).degree
    assert set(degree.tolist()) == {0, 2, 3}


def test_hybrid_cost_equals_the_cost_of_its_tree() -> None:
    weights = np.sort(distributions(7)["log-uniform"])
    for n_binary in (0, 1, 5, 20):
        found = _core.hybrid_cost(weights, n_binary, 24, 2**61)
        parent = _core.hybrid_tree(weights, n_binary, 24, found + 1)
        label = np.full(len(parent), -1, np.int32)
        label[: len(weights)] = np.arange(len(weights))
        assert price(trees.LabelTree.from_parents(parent, label), weights) == found


def test_hybrid_cost_above_the_limit_is_the_limit() -> None:
    assert _core.hybrid_cost(np.array([1, 1, 1]), 0, 24, 5) == 5


def test_too_many_labels_for_the_exact_program_are_refused() -> None:
    with pytest.raises(ValueError, match="at most 4096 labels, but there are 5000; lower exact"):
        trees.multiclass(np.ones(5000, int), exact_up_to=10_000)


def test_ctrl_c_ends_a_long_call() -> None:
    counts = (100_000 / np.arange(1, 401) ** 0.9).astype(np.int64)
    with interrupted():
        trees.multiclass(counts, exact_up_to=400)
