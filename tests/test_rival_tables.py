"""Tables, ratios, losses and pictures of systems side by side, from made-up figures."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks.rivals.figures import COST, QUALITY, Measure
from benchmarks.rivals.measure import best_of, median_of
from benchmarks.rivals.pictures import PICTURES, draw
from benchmarks.rivals.tables import losses_list, ratios_table, rivals_table, spreads_table


def system(name: str, package: str, **figures: Any) -> dict[str, Any]:
    same = {measure.key: 10.0 for measure in (*QUALITY, *COST)}
    machine = {"processor": "Abacus", "cores": 2, "commit": "abc"}
    facts = {"status": "ok", "version": "1", "load_before": 0.1, "load_after": 0.2}
    named = {"system": name, "package": package, "scores": "probabilities", "machine": machine}
    return same | facts | named | figures


def results(*systems: dict[str, Any]) -> dict[str, Any]:
    sizes = {"n_rows": 9, "n_features": 8, "n_labels": 7, "n_test_rows": 6}
    run = {"data": "tiny", "threads": 1, "seed": 0, **sizes, "systems": list(systems)}
    return {"runs": [run]}


OURS = system("labeltree", "labeltree")


def test_equal_systems_lose_nothing() -> None:
    assert losses_list(results(OURS, system("other", "x"))) == "- **tiny**: nothing."


def test_points_of_precision_that_are_lost_are_named() -> None:
    made = losses_list(results(OURS, system("other", "x", **{"P@5": 10.3})))
    assert made == "- **tiny**: P@5: other by 0.3 points."


def test_a_larger_calibration_error_is_no_loss_of_ours() -> None:
    made = losses_list(results(OURS, system("other", "x", **{"ECE@5": 12.0})))
    assert made == "- **tiny**: nothing."


def test_times_that_are_lost_are_named_the_worst_first() -> None:
    rivals = [system("fast", "x", single_p50_us=5.0), system("faster", "y", single_p50_us=2.0)]
    made = losses_list(results(OURS, *rivals))
    assert made == "- **tiny**: one row, p50: faster 5 times, fast 2 times."


def test_times_within_noise_are_no_loss() -> None:
    made = losses_list(results(OURS, system("other", "x", train_cpu_s=9.5)))
    assert made == "- **tiny**: nothing."


def test_a_ratio_above_one_is_ours() -> None:
    made = ratios_table(results(OURS, system("slow", "x", train_cpu_s=80.0, batch_rows_per_s=5)))
    cells = made.splitlines()[-1].split(" | ")
    assert cells[:3] == ["| slow", "10.0 / 10.0 / 10.0", "8 ×"]
    assert cells[2 + 5] == "2 ×"


def test_a_figure_that_is_missing_has_no_ratio() -> None:
    other = system("old", "x")
    del other["resident_over_data_mb"]
    assert " | – | " in ratios_table(results(OURS, other))
    assert Measure("gone", "gone").lead(OURS, other) is None


def test_scores_that_are_no_probabilities_are_marked() -> None:
    made = rivals_table(results(OURS, system("other", "x", scores="products of hinges")))
    assert "| 10.0 * |" in made
    assert "x: products of hinges" in made


def test_a_system_without_scores_has_no_calibration_error() -> None:
    other = system("other", "x", scores="none")
    del other["ECE@5"]
    line = next(x for x in rivals_table(results(OURS, other)).splitlines() if "| other" in x)
    assert line.endswith("| – |")


def test_a_failure_keeps_its_line_and_says_why() -> None:
    lost = {"status": "failed", "error": "train ended with status 1\nValueError: a | b"}
    made = rivals_table(results(OURS, system("other", "x") | lost))
    assert "| other | failed: ValueError: a / b | – |" in made


def test_spreads_are_beside_medians() -> None:
    made = spreads_table(results(system("labeltree", "labeltree", train_cpu_s_spread=[9.0, 12.0])))
    assert "| labeltree | 10 (9 to 12) | 10 |" in made


def test_pictures_have_a_point_and_a_name_for_each_system() -> None:
    for _, key, words in PICTURES:
        figure = draw(results(OURS, system("other", "x"))["runs"], key, words)
        (axes,) = figure.axes
        assert [text.get_text() for text in axes.texts] == ["labeltree", "other"]


def test_names_of_equal_points_do_not_lie_on_each_other() -> None:
    figure = draw(results(OURS, system("other", "x"))["runs"], "model_mb", "MB")
    first, second = (text.xyann[1] for text in figure.axes[0].texts)
    assert first - second >= 8


def test_medians_are_of_one_of_the_runs() -> None:
    assert median_of([{"a": 3}, {"a": 1}])["a"] == 3


def test_words_and_equal_figures_have_no_spread() -> None:
    run = {"version": "1.0", "single_rows": 9}
    assert median_of([run, run]) == run


@pytest.mark.parametrize(("key", "best"), [("open_s", "b"), ("batch_rows_per_s_on_2", "a")])
def test_each_figure_is_of_the_better_layout(key: str, best: str) -> None:
    found = best_of({"a": {key: 2.0}, "b": {key: 1.0}})
    assert found["layouts"] == {key: best}
