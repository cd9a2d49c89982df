"""The scale benchmark: sizes, fits and pages, on made-up points and one small fit."""

from __future__ import annotations

import math
from typing import Any

import pytest

from benchmarks.scale import in_process, measure, options, sizes, sweeps
from benchmarks.scale_page import exponent, fitted, good, line_in_log, scale_pictures, scale_tables


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


RESULTS = {
    "machine": {"commit": "abc", "processor": "Abacus", "load": 0.5},
    "seed": 0,
    "sweeps": [
        {
            "name": "both",
            "over": "n_labels",
            "points": [
                *(point(n) for n in (16, 64, 256)),
                {"n_labels": 1024, "n_rows": 100, "tree": "cheapest", "error": "more than 9 s"},
            ],
        }
    ],
}


@pytest.mark.parametrize(("most", "expected"), [(999, []), (10**4, [1000, 3162, 10000])])
def test_sizes_stay_below_the_limit(most: int, expected: list[int]) -> None:
    assert sizes(1000, most) == expected


def test_no_sweep_goes_beyond_the_limits() -> None:
    asked = options(["--max-labels", "5000", "--max-rows", "20000", "--rows", "7"])
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


def test_fits_are_told_in_words() -> None:
    text = fitted("n_labels", [point(n) for n in (16, 64, 256)])
    assert "training, CPU s as labels^1.50" in text
    assert "classifiers called, threshold 0.5 5.0 +3.00·log2 m (R² 1.000)" in text


def test_two_points_are_not_fitted() -> None:
    assert fitted("n_labels", [point(16), point(64)]) == ""


def test_sizes_that_failed_are_told_below_the_table() -> None:
    assert "1,024 both: more than 9 s." in scale_tables(RESULTS)
    assert [len(points) for points in good(RESULTS["sweeps"][0]).values()] == [3]


def test_pictures_have_a_panel_for_each_cost() -> None:
    figures = dict(scale_pictures(RESULTS))
    assert [len(figure.axes) for figure in figures.values()] == [4, 2]


def test_a_size_is_measured_with_all_that_the_page_shows() -> None:
    figures = measure(n_labels=20, n_rows=300, tree="cheapest")
    assert set(point(20)) <= set(figures)
    assert figures["n_labels"] == 20
    assert figures["calls_threshold"] >= 1


def test_a_size_that_takes_too_long_is_told() -> None:
    size = {"n_labels": 5, "n_rows": 10, "tree": "cheapest"}
    assert in_process(0.01, **size) == size | {"error": "more than 0.01 s"}
