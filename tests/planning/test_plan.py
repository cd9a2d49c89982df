"""Plans for small data sets whose best tree is known."""

from __future__ import annotations

import json

import numpy as np
import pytest

from labeltree import LabelTree, PLTClassifier, cost, trees
from labeltree.planning.candidates import CANDIDATES
from labeltree.planning.plans import Plan, plan
from labeltree.planning.table import WIDTH
from labeltree.trees import CostModel

MULTILABEL = [["tea", "milk"], ["tea"], ["bread"], ["jam"], []]
MULTICLASS = [[0]] * 9 + [[1]] * 8 + [[2]] * 7 + [[3], [4]]
NESTED = [[0], [0, 1], [0, 1, 2], [0, 1, 2], []]
X = np.eye(5, 4) + 0.5


def names(made: Plan) -> set[str]:
    return {row.name for row in made.rows}


def test_rows_are_sorted_by_cost() -> None:
    costs = [row.report.cost for row in plan(X, MULTILABEL).rows]
    assert costs == sorted(costs)


def test_the_cost_of_every_row_is_exact() -> None:
    for row in plan(X, MULTILABEL).rows:
        assert row.report.cost == len(MULTILABEL) + row.price
        assert row.report.cost == cost.training_cost(row.tree, MULTILABEL)


def test_trees_that_do_not_suit_the_data_are_left_out() -> None:
    made = plan(X, MULTILABEL)
    everything = {candidate.name for candidate in CANDIDATES}
    assert everything - names(made) == set(made.left_out) == {"multiclass", "nested"}


def test_trees_carry_the_names_of_the_labels() -> None:
    for row in plan(X, MULTILABEL).rows:
        assert row.tree.names == ("bread", "jam", "milk", "tea")


def test_without_features_there_are_no_feature_trees_and_no_estimates() -> None:
    made = plan(None, MULTILABEL)
    assert {"auto", "kmeans", "kmeans16", "kmeans+collapse", "blend"} <= set(made.left_out)
    assert all(row.resources is None for row in made.rows)


def test_the_default_tree_of_the_estimators_is_compared() -> None:
    rng = np.random.default_rng(0)  # enough rows for feature weighting
    features = rng.random((1200, 30)) * (rng.random((1200, 30)) < 0.3)
    labels = [sorted({int(j) for j in rng.integers(0, 12, 2)}) for _ in range(1200)]
    [row] = plan(features, labels, trees=["auto"]).rows
    assert row.tree == PLTClassifier().fit(features, labels).trees_[0]
    assert "auto: the default tree" in plan(features, labels, trees=["auto"]).table()


def test_query_time_is_shown() -> None:
    made = plan(X, MULTILABEL)
    assert made.table().splitlines()[0].endswith("query")
    assert all(row["query_seconds"] > 0 for row in made.to_dict()["trees"])


def test_a_budget_can_limit_the_time_of_a_query() -> None:
    made = plan(X, MULTILABEL, trees=["star"], budget="0.0001ns")
    assert not made.fits
    assert made.best.breaks[0].startswith("query ")


def test_one_label_per_row_is_detected() -> None:
    made = plan(None, MULTICLASS)
    guarantees = {row.name: row.guarantee.short for row in made.rows}
    assert guarantees["multiclass"] == guarantees["exact"] == "optimal"
    assert guarantees["shannon"] == guarantees["huffman"] == "opt+3"


def test_nested_labels_are_detected() -> None:
    made = plan(None, NESTED)
    [row] = [row for row in made.rows if row.name == "nested"]
    assert row.guarantee.short == "optimal"
    assert row.report.cost == made.best.report.cost


def test_equally_frequent_nested_labels_are_detected() -> None:
    assert "nested" in names(plan(None, [[0, 1], [0, 1], [0, 1, 2]]))


def test_tree_at_the_lower_bound_is_optimal() -> None:
    [row] = plan(None, [[0], [1], [2]], trees=["star"]).rows
    assert row.guarantee.short == "optimal"


def test_every_guarantee_holds() -> None:
    for Y in (MULTILABEL, MULTICLASS, NESTED):
        made = plan(None, Y)
        optimum = cost.training_cost(trees.exact(Y), Y)
        for row in made.rows:
            assert row.report.cost <= row.report.guarantee * optimum
            if row.guarantee.short == "optimal":
                assert row.report.cost == optimum
            if row.guarantee.short == "opt+3":
                assert row.report.cost <= optimum + 3 * len(Y)


def test_best_is_the_cheapest_without_a_budget() -> None:
    made = plan(X, MULTILABEL)
    assert made.best is made.rows[0]
    assert (made.reason, made.fits) == ("the cheapest of all trees", True)


def test_best_is_the_cheapest_within_the_budget() -> None:
    chosen = ["star", "complete", "huffman"]
    free = plan(X, MULTILABEL, trees=chosen)
    models = {row.name: row.resources.model_bytes for row in free.rows if row.resources}
    limit = sorted(models.values())[0]
    made = plan(X, MULTILABEL, trees=chosen, budget={"model": limit})
    within = [row for row in made.rows if models[row.name] <= limit]
    assert made.best is within[0]
    assert [row.name for row in made.rows if row.breaks] == [
        row.name for row in made.rows if models[row.name] > limit
    ]


def test_if_nothing_is_within_the_budget_the_nearest_is_best() -> None:
    made = plan(X, MULTILABEL, trees=["star", "complete"], budget="1b")
    assert not made.fits
    assert made.best.excess == min(row.excess for row in made.rows) > 1
    assert all("memory" in row.breaks[0] for row in made.rows)
    assert "no tree is within memory 1B" in made.table()


def test_held_out_rows_are_evaluated_and_not_built_from() -> None:
    made = plan(None, MULTILABEL * 4, holdout=0.25)
    assert made.best.report.n_rows == 15
    assert made.best.report.holdout_cost_per_row is not None


def test_your_own_tree_is_compared_with_the_others() -> None:
    own = LabelTree.from_nested([["tea", "milk"], ["jam", "bread"]])
    made = plan(None, MULTILABEL, trees=["star"], compare_trees={"mine": own})
    [row] = [row for row in made.rows if row.name == "mine"]
    assert row.report.cost == cost.report(own, MULTILABEL).cost
    assert row.tree.to_newick() == own.to_newick()


def test_the_cost_model_determines_the_best_tree() -> None:
    made = plan(None, MULTICLASS, cost_model=CostModel(per_row=100.0))
    assert made.best.tree.depth == 1


def test_progress_is_reported() -> None:
    steps = []
    plan(None, MULTILABEL, trees=["star", "complete"], progress=lambda *step: steps.append(step))
    assert steps == [(0, 2, "star"), (1, 2, "complete"), (2, 2, "")]


def test_interrupt_between_trees_keeps_finished_trees() -> None:
    def interrupt(done: int, total: int, name: str) -> None:
        if name == "complete":
            raise KeyboardInterrupt

    made = plan(None, MULTILABEL, trees=["star", "complete"], progress=interrupt)
    assert (names(made), made.stopped) == ({"star"}, True)
    assert made.left_out == {"complete": "interrupted"}


def test_interrupt_before_the_first_tree_is_reraised() -> None:
    def interrupt(done: int, total: int, name: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        plan(None, MULTILABEL, progress=interrupt)


def test_dict_can_be_written_as_json() -> None:
    made = json.loads(json.dumps(plan(X, MULTILABEL, budget="60s").to_dict()))
    assert made["trees"][0]["cost"] <= made["trees"][-1]["cost"]
    assert made["budget"] == {"time": 60.0}


@pytest.mark.parametrize("holdout", [0.0, 0.25])
def test_table_is_at_most_100_columns_wide(holdout: float) -> None:
    own = {"a name that is much too long": trees.star(4)}
    text = plan(X, MULTILABEL, compare_trees=own, holdout=holdout, budget="1b,1s,model=1b").table()
    assert max(map(len, text.splitlines())) <= WIDTH
    assert text.count("\n*") >= 1


def test_table_marks_the_best() -> None:
    made = plan(None, MULTILABEL)
    marked = [line.split()[0] for line in made.table().splitlines() if line.startswith("*")]
    assert marked == [f"*{made.best.name}", "*"]  # in the table, and in the reason below it


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"Y": [["a"], ["a"]]}, "at least 2 labels, but Y has 1"),
        ({"Y": [[], []]}, "at least 2 labels, but Y has 0"),
        ({"X": np.eye(2)}, "X has 2 rows, but Y has 5"),
        ({"X": None, "budget": "1s"}, "pass X or drop the budget"),
        ({"holdout": 1.0}, "holdout must be at least 0 and less than 1, but is 1.0"),
        ({"holdout": 0.95}, "holdout must leave a row to build trees from, but is 0.95 of 5 rows"),
        ({"sweeps": -1}, "sweeps must be at least 0, but is -1"),
        ({"trees": ["oak"]}, "but one is 'oak'"),
        ({"trees": ["nested"]}, "at least one tree to build, but all are left out: nested"),
        ({"compare_trees": {"star": trees.star(4)}}, "needs a name that no builder has"),
        ({"compare_trees": {"mine": trees.star(3)}}, "tree mine has 3 labels, but Y has 4"),
        (
            {"compare_trees": {"mine": LabelTree.from_nested(["tea", "milk", "jam", "ham"])}},
            "tree mine has label 'ham', but Y does not",
        ),
    ],
)
def test_wrong_arguments_are_refused(arguments, message) -> None:
    with pytest.raises(ValueError, match=message):
        plan(**{"X": X, "Y": MULTILABEL, **arguments})


def test_a_single_name_is_not_a_list_of_names() -> None:
    with pytest.raises(TypeError, match="trees must be a list of names"):
        plan(None, MULTILABEL, trees="star")


def test_the_default_tree_is_compared_where_rows_are_held_back_and_have_pairs() -> None:
    rng = np.random.default_rng(0)
    features = rng.random((10_000, 30)) * (rng.random((10_000, 30)) < 0.2)
    labels = [sorted({int(j) for j in rng.integers(0, 40, 2)}) for _ in range(10_000)]
    [row] = plan(features, labels, trees=["auto"]).rows
    clf = PLTClassifier().fit(features, labels)
    assert len(clf.interactions_)
    assert row.tree == clf.trees_[0]
