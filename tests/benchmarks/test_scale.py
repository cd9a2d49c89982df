"""The scale benchmark: sizes, fits and pages, on made-up points and one small fit."""

from __future__ import annotations

import math
from typing import Any

import pytest

from benchmarks.pages.__main__ import options
from benchmarks.pages.growth import by_tree, exponent, fits, line_in_log, plots, tables
from benchmarks.pages.scale import in_process, measure_size, sizes, sweeps


def point(n: int, tree: str = "cheapest", **other: Any) -> dict[str, Any]:
    """A size whose time grows as n^1.5 and whose calls grow by 3 with each doubling."""
    calls = 5 + 3 * math.log2(n)
    return {
        "n_labels": n,
        "n_rows": 100,
        "tree": tree,
        "n_seen": n,
        "train_cpu_s": n**1.5,
        "train_over_data_mb": 2.0 * n,
        "cost_per_row": calls,
        "bound_per_row": 1.0,
        "batch_us": 1.0 * n,
        "single_p50_us": 7.0,
        "calls_threshold": calls,
        "calls_top_5": 2 * calls,
        "P@1": 50.0,
    } | other


RECORD = {
    "data": "both",
    "machine": {"commit": "abc", "processor": "Abacus", "load": 0.5},
    "seed": 0,
    "over": "n_labels",
    "points": [
        *(point(n) for n in (16, 64, 256)),
        {"n_labels": 1024, "n_rows": 100, "tree": "cheapest", "error": "more than 9 s"},
    ],
}


@pytest.mark.parametrize(("most", "expected"), [(999, []), (10**4, [1000, 3162, 10000])])
def test_sizes_stay_below_the_limit(most: int, expected: list[int]) -> None:
    assert sizes(1000, most) == expected


def test_no_sweep_goes_beyond_the_limits() -> None:
    asked = options(["scale", "--max-labels", "5000", "--max-rows", "20000", "--rows", "7"])
    found = {name: sizes for name, _, sizes in sweeps(asked)}
    assert found == {
        "labels": [{"n_labels": 1000, "n_rows": 7}, {"n_labels": 3162, "n_rows": 7}],
        "rows": [{"n_labels": 10000, "n_rows": 10000}],
        "both": [{"n_labels": 1000, "n_rows": 10000}],
    }


def test_an_exponent_is_found_again() -> None:
    assert exponent([1, 2, 4], [3, 12, 48]) == pytest.approx(2)


def test_a_line_in_the_logarithm_is_found_again() -> None:
    assert line_in_log([2, 8, 32], [7, 13, 19]) == pytest.approx((4, 3, 1))


def test_fits_have_a_row_for_each_tree() -> None:
    (line,) = fits([RECORD]).splitlines()[2:]
    assert line.split(" | ")[1] == "1.50"
    assert "5.0 +3.00·log2 m (R² 1.000)" in line


def test_two_points_are_not_fitted() -> None:
    assert "Fitted" not in tables([RECORD | {"points": [point(16), point(64)]}])


def test_trees_of_one_size_share_a_line() -> None:
    both = [point(16, "auto", **{"P@1": 60.0}), point(16, **{"P@1": 50.0})]
    assert "| 60.0 / 50.0 |" in tables([RECORD | {"points": both}])


def test_sizes_that_failed_are_named_below_the_table() -> None:
    assert "cheapest, 1,024: more than 9 s." in tables([RECORD])
    assert [len(points) for points in by_tree(RECORD).values()] == [3]


def test_plots_have_a_panel_for_each_cost() -> None:
    figures = dict(plots([RECORD]))
    assert [len(figure.axes) for figure in figures.values()] == [4, 2]


def test_a_size_is_measured_with_all_that_the_page_shows() -> None:
    figures = measure_size(n_labels=20, n_rows=300, tree="cheapest")
    assert set(point(20)) <= set(figures)
    assert figures["n_labels"] == 20
    assert figures["calls_threshold"] >= 1


def test_a_size_that_takes_too_long_is_recorded() -> None:
    size = {"n_labels": 5, "n_rows": 10, "tree": "cheapest"}
    assert in_process(0.01, **size) == size | {"error": "more than 0.01 s"}
