"""Reports on trees whose costs are computed by hand."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labeltree import LabelTree, cost
from labeltree.cost.tree_report import report

TREE = LabelTree.from_nested([[0, 1], 2])
ROWS = [[0], [0, 1], [2], []]  # cost 5, 5, 3 and 1


def test_cost_is_the_sum_over_rows() -> None:
    figures = report(TREE, ROWS)
    assert (figures.cost, figures.cost_per_row, figures.n_rows) == (14, 3.5, 4)


def test_ratio_is_cost_over_lower_bound() -> None:
    figures = report(TREE, ROWS)
    assert figures.lower_bound == cost.lower_bound(ROWS)
    assert figures.ratio == 14 / figures.lower_bound


def test_report_describes_the_shape_of_the_tree() -> None:
    figures = report(TREE, ROWS)
    assert (figures.n_labels, figures.n_nodes, figures.depth, figures.max_degree) == (3, 5, 2, 2)


def test_leaf_costs_are_averaged_over_pairs_and_over_labels() -> None:
    figures = report(TREE, ROWS)  # D = 4, 4, 2; counts 2, 1, 1
    assert figures.mean_leaf_cost == 3.5
    assert figures.mean_leaf_cost_of_labels == pytest.approx(10 / 3)
    assert figures.worst_leaf_cost == 4


def test_guarantee_is_the_worst_leaf_cost() -> None:
    assert report(TREE, ROWS).guarantee == 4


def test_one_label_is_guaranteed_to_be_optimal() -> None:
    figures = report(LabelTree.from_nested([0]), [[0], []])
    assert (figures.guarantee, figures.ratio, figures.cost) == (1, 1.0, 2)


def test_prediction_cost_is_the_training_cost_per_row() -> None:
    assert report(TREE, ROWS).prediction_cost == 3.5


def test_prediction_cost_is_that_of_the_holdout_rows() -> None:
    figures = report(TREE, ROWS, holdout=[[2], [2]])
    assert (figures.holdout_cost_per_row, figures.prediction_cost) == (3.0, 3.0)


def test_prediction_cost_bound_depends_on_the_threshold() -> None:
    assert report(TREE, ROWS, threshold=0.25).prediction_cost_bound == (3.5 - 0.75) / 0.25
    assert report(TREE, ROWS, threshold=1.0).prediction_cost_bound == 3.5


def test_labels_may_be_given_by_name() -> None:
    tree = LabelTree.from_nested([["cat", "dog"], "fish"])
    assert report(tree, [["fish"], ["dog", "cat"]]).cost == 3 + 5


def test_dict_can_be_written_as_json() -> None:
    figures = json.loads(json.dumps(report(TREE, ROWS).to_dict()))
    assert (figures["cost_per_row"], figures["holdout_cost_per_row"]) == (3.5, None)


def test_text_shows_cost_bound_and_guarantee() -> None:
    text = str(report(TREE, ROWS, holdout=[[2]]))
    for part in ("14 over 4 rows", "3.25 per row", "at most 4 times", "held-out rows   3.00"):
        assert part in text


@pytest.mark.parametrize("threshold", [0.0, -1.0, 1.5, float("nan")])
def test_threshold_outside_its_range_is_refused(threshold: float) -> None:
    with pytest.raises(ValueError, match="threshold must be above 0 and at most 1"):
        report(TREE, ROWS, threshold=threshold)


def test_zero_rows_are_refused() -> None:
    with pytest.raises(ValueError, match="at least one row"):
        report(TREE, [])
    with pytest.raises(ValueError, match="holdout must have at least one row"):
        report(TREE, ROWS, holdout=[])


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sets(st.integers(0, 4)), min_size=1, max_size=6))
def test_ratio_is_never_above_the_guarantee(rows: list[set[int]]) -> None:
    tree = LabelTree.from_nested([[0, [1, 2]], [3, 4]])
    figures = report(tree, [sorted(row) for row in rows])
    assert 1.0 <= figures.ratio <= figures.guarantee
