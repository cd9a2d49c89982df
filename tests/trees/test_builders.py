"""Facts about every builder that uses counts or a number of labels."""

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from labeltree import cost, trees

Builder = Callable[[Sequence[int]], trees.LabelTree]

OVER_COUNTS: dict[str, Builder] = {
    "huffman": trees.huffman,
    "huffman-2": lambda counts: trees.huffman(counts, arity=2),
    "huffman-16": lambda counts: trees.huffman(counts, arity=16),
    "shannon": trees.shannon,
    "nested": trees.nested,
    "multiclass": trees.multiclass,
    "hybrid": lambda counts: trees.multiclass(counts, exact_up_to=0),
    "complete": lambda counts: trees.complete(len(counts), counts=counts),
}
OVER_NUMBERS: dict[str, Callable[[int], trees.LabelTree]] = {
    "star": trees.star,
    "complete": trees.complete,
    "complete-2": lambda m: trees.complete(m, arity=2),
    "random": trees.random,
    "random-5": lambda m: trees.random(m, arity=5),
}
over_counts = pytest.mark.parametrize("build", OVER_COUNTS.values(), ids=OVER_COUNTS)
over_numbers = pytest.mark.parametrize("build", OVER_NUMBERS.values(), ids=OVER_NUMBERS)
only_counts = pytest.mark.parametrize(
    "build", [trees.huffman, trees.shannon, trees.nested, trees.multiclass]
)


@over_counts
@pytest.mark.parametrize("count", [0, 1, 7])
def test_one_label_is_a_single_leaf(build: Builder, count: int) -> None:
    assert build([count]).to_nested() == 0


@over_numbers
def test_one_label_by_number_is_a_single_leaf(build: Callable[[int], trees.LabelTree]) -> None:
    assert build(1).to_nested() == 0


@over_counts
@pytest.mark.parametrize("counts", [[0, 0], [0, 3], [3, 3]])
def test_two_labels_are_siblings(build: Builder, counts: list[int]) -> None:
    assert sorted(build(counts).to_nested()) == [0, 1]


@over_counts
@pytest.mark.parametrize("m", [2, 3, 4, 9, 10, 60])
@pytest.mark.parametrize("count", [0, 1])
def test_equal_counts_give_every_label_one_leaf(build: Builder, m: int, count: int) -> None:
    tree = build([count] * m)
    assert sorted(tree.label[tree.label >= 0].tolist()) == list(range(m))


@over_numbers
@pytest.mark.parametrize("m", [2, 3, 4, 9, 10, 60])
def test_every_label_has_one_leaf(build: Callable[[int], trees.LabelTree], m: int) -> None:
    assert build(m).n_labels == m


@over_counts
def test_same_counts_give_the_same_tree(build: Builder) -> None:
    counts = np.random.default_rng(3).integers(0, 6, 80).tolist()
    assert build(counts) == build(counts)


@over_counts
def test_a_million_labels_of_count_one_stay_shallow(build: Builder) -> None:
    assert build(np.ones(10**6, np.int64)).depth <= 20


@over_counts
def test_labels_without_rows_cost_nothing(build: Builder) -> None:
    tree = build([0] * 20)
    assert cost.training_cost(tree, [[]] * 5) == 5


@only_counts
def test_empty_counts_are_refused(build: Builder) -> None:
    with pytest.raises(ValueError, match="a tree needs at least one label"):
        build([])


@over_numbers
def test_zero_labels_are_refused(build: Callable[[int], trees.LabelTree]) -> None:
    with pytest.raises(ValueError, match="a tree needs at least one label"):
        build(0)


@only_counts
@pytest.mark.parametrize(
    ("counts", "message"),
    [
        ([3, -1], "counts must not be negative, but label 1 has -1"),
        ([3, float("nan")], "counts must not be negative, but label 1 has nan"),
        ([3, 1.5], "counts must be whole numbers, but label 1 has 1.5"),
        ([[1, 2]], r"counts must have one dimension, but its shape is \(1, 2\)"),
        ([1, float("inf")], "divide them by a constant"),
        ([1, 2**50], "divide them by a constant"),
    ],
)
def test_invalid_counts_are_named(build: Builder, counts: list[int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        build(counts)


@only_counts
def test_strings_are_not_counts(build: Builder) -> None:
    with pytest.raises(TypeError, match="counts must be an array of numbers, but is"):
        build(["1", "2"])  # type: ignore[list-item]


def test_integral_floats_are_counts() -> None:
    assert trees.huffman([4.0, 2.0, 1.0]) == trees.huffman([4, 2, 1])


@pytest.mark.parametrize("build", [trees.complete, trees.random])
def test_arity_one_is_refused(build: Callable[..., trees.LabelTree]) -> None:
    with pytest.raises(ValueError, match="arity must be at least 2, but is 1"):
        build(5, arity=1)
    with pytest.raises(ValueError, match="arity must be at least 2, but is 1"):
        trees.huffman([1, 2], arity=1)


@over_counts
def test_the_largest_counts_do_not_overflow(build: Builder) -> None:
    counts = np.full(2**12, 2**38 - 1)
    small = build(counts // (2**38 - 1))
    assert (cost.leaf_costs(build(counts)) == cost.leaf_costs(small)).all()
