import pytest

from labeltree import LabelTree

ANIMALS = [("animal", "cat"), ("animal", "dog"), ("dog", "poodle"), ("dog", "boxer")]


def test_an_inner_concept_gets_its_own_leaf() -> None:
    tree = LabelTree.from_hierarchy(ANIMALS)
    assert tree.names == ("animal", "cat", "dog", "poodle", "boxer")
    assert tree.to_nested() == [0, 1, [2, 3, 4]]


def test_only_given_labels_become_leaves_in_their_order() -> None:
    tree = LabelTree.from_hierarchy(ANIMALS, labels=["boxer", "poodle", "cat"])
    assert tree.names == ("boxer", "poodle", "cat")
    assert tree.to_nested() == [2, [1, 0]]


def test_branches_without_labels_are_omitted() -> None:
    assert LabelTree.from_hierarchy(ANIMALS, labels=["cat"]).to_nested() == 0


def test_order_of_pairs_does_not_matter_for_cost_or_shape() -> None:
    tree = LabelTree.from_hierarchy(
        ANIMALS[::-1], labels=["animal", "cat", "dog", "poodle", "boxer"]
    )
    assert tree.depth == 2
    assert tree.degree.tolist()[0] == 3


def test_a_pair_may_occur_twice() -> None:
    assert LabelTree.from_hierarchy(ANIMALS + ANIMALS) == LabelTree.from_hierarchy(ANIMALS)


@pytest.mark.parametrize(
    ("pairs", "labels", "message"),
    [
        ([], None, "at least one"),
        ([("a", "b"), ("c", "d")], None, "'a' and 'c' have no parent; pass join_roots=True"),
        ([("a", "c"), ("b", "c")], None, "'c' is under 'a' and under 'b'; pass first_parent=True"),
        ([("a", "b"), ("b", "c"), ("c", "a")], None, "'a' is its own ancestor"),
        ([("a", "a")], None, "'a' is its own ancestor"),
        ([("a", "b")], ["b", "x"], "'x' is not in it"),
        ([("a", "b")], ["b", "b"], "'b' is in labels twice"),
        ([("a", "b")], [], "labels is empty"),
    ],
)
def test_errors_for_malformed_hierarchies_name_concept_and_rule(pairs, labels, message) -> None:
    with pytest.raises(ValueError, match=message):
        LabelTree.from_hierarchy(pairs, labels=labels)


def test_roots_are_joined_on_request() -> None:
    tree = LabelTree.from_hierarchy([("a", "b"), ("c", "d")], join_roots=True)
    assert tree.to_nested() == [[0, 1], [2, 3]]


def test_the_first_parent_is_kept_on_request() -> None:
    pairs = [("top", "a"), ("top", "b"), ("a", "c"), ("b", "c")]
    tree = LabelTree.from_hierarchy(pairs, labels=["a", "b", "c"], first_parent=True)
    assert tree.to_nested() == [[0, 2], 1]
