import pytest

from labeltree import LabelTree, PLTClassifier
from labeltree.training.effort import BEST, DEFAULT, EFFORTS, FAST, HIGH, LEVELS, filled
from tests.estimators.few_rows import data

FILLED = ("tree", "tree_params", "n_trees", "max_iter", "rerank")
WIDE = {"arity": 100, "balanced": False}


def resolved(**params) -> dict:
    params = filled(PLTClassifier(**params).get_params(deep=False))
    return {name: params[name] for name in FILLED}


def test_the_default_fills_in_one_auto_tree() -> None:
    expected = {"tree": "auto", "tree_params": {}, "n_trees": 1, "max_iter": "auto"}
    assert resolved() == resolved(effort=DEFAULT) == expected | {"rerank": False}


def test_fast_is_an_auto_tree_with_narrow_nodes() -> None:
    assert resolved(effort=FAST) == {
        "tree": "auto",
        "tree_params": {"width": 0.3, "min_per_row": 30},
        "n_trees": 1,
        "max_iter": "auto",
        "rerank": False,
    }


def test_high_is_a_forest_of_unlike_trees() -> None:
    expected = {"tree": ["auto", "auto", "kmeans"], "tree_params": [{}, {}, WIDE], "n_trees": 3}
    found = resolved(effort=HIGH)
    assert {name: found[name] for name in expected} == expected


def test_best_offers_held_back_rows_six_more_trees() -> None:
    params = filled(PLTClassifier(effort=BEST).get_params(deep=False))
    assert params["tree"] == ["auto", "auto", "kmeans", "auto", *["kmeans"] * 5]
    narrow = {"arity": 16, "max_leaf_size": 16}
    assert params["tree_params"] == [{}, {}, WIDE, {}, WIDE, WIDE, narrow, narrow, narrow]
    assert params["n_sure"] == 3


@pytest.mark.parametrize("given", [{"warm_start": True}, {"node_estimator": object()}])
def test_what_cannot_choose_trees_has_those_of_high(given: dict) -> None:
    best, high = (resolved(effort=effort, **given) for effort in (BEST, HIGH))
    assert best["tree"] == high["tree"]


def test_only_best_reranks() -> None:
    assert {effort: resolved(effort=effort)["rerank"] for effort in EFFORTS} == {
        FAST: False,
        DEFAULT: False,
        HIGH: False,
        BEST: "auto",
    }


@pytest.mark.parametrize("effort", EFFORTS)
@pytest.mark.parametrize(
    "given",
    [
        {"tree": "huffman", "n_trees": 1},
        {"tree": ["auto", "kmeans"], "tree_params": [{}, {"arity": 4}], "n_trees": 2},
        {"tree": "auto", "tree_params": {"width": 2.0}, "n_trees": 1},
        {"n_trees": 5},
        {"max_iter": 3},
        {"rerank": False},
        {"rerank": True},
    ],
)
def test_a_value_that_is_given_stays(effort: str, given: dict) -> None:
    found = resolved(effort=effort, **given)
    assert {name: found[name] for name in given} == given


def test_a_given_number_of_trees_keeps_the_auto_tree() -> None:
    assert resolved(effort=BEST, n_trees=2)["tree"] == "auto"


def test_more_trees_are_of_the_given_builder() -> None:
    found = resolved(effort=HIGH, tree="kmeans", tree_params={"arity": 4})
    assert (found["tree"], found["tree_params"], found["n_trees"]) == ("kmeans", {"arity": 4}, 3)


def test_parameters_of_the_auto_tree_hold_for_all_its_trees() -> None:
    found = resolved(effort=HIGH, tree_params={"width": 1.0})
    assert (found["tree"], found["tree_params"], found["n_trees"]) == ("auto", {"width": 1.0}, 3)


@pytest.mark.parametrize("tree", ["huffman", LabelTree.from_nested([0, 1, 2])])
def test_a_tree_that_does_not_depend_on_the_seed_stands_alone(tree) -> None:
    assert resolved(effort=BEST, tree=tree)["n_trees"] == 1


@pytest.mark.parametrize("given", [{"warm_start": True}, {"node_estimator": object()}])
def test_effort_adds_no_rankers_where_there_cannot_be_any(given: dict) -> None:
    assert resolved(effort=BEST, **given)["rerank"] is False


@pytest.mark.parametrize("effort", ["most", "", 3, None])
def test_an_unknown_effort_is_refused(effort) -> None:
    with pytest.raises((ValueError, TypeError), match="effort must be"):
        PLTClassifier(effort=effort).fit(*data())


def test_levels_are_ordered_by_time() -> None:
    times = [LEVELS[effort].time for effort in EFFORTS]
    assert times == sorted(times)
    assert LEVELS[DEFAULT].time == 1
