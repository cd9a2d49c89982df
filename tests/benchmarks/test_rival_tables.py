"""Tables, losses and the picture of systems side by side, from made-up figures."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks.rivals.accuracy import accuracy_table
from benchmarks.rivals.claims import factors_table
from benchmarks.rivals.figures import COST, QUALITY, Measure
from benchmarks.rivals.home import HOME, draw_home, summary_table
from benchmarks.rivals.measure import best_of, median_of
from benchmarks.rivals.pictures import LOOKS, draw
from benchmarks.rivals.tables import losses_list, rivals_table


def system(name: str, package: str, **figures: Any) -> dict[str, Any]:
    same = {measure.key: 10.0 for measure in (*QUALITY, *COST)}
    machine = {"processor": "Abacus", "cores": 2, "commit": "abc"}
    facts = {"status": "ok", "version": "1", "load_before": 0.1, "load_after": 0.2}
    named = {"system": name, "package": package, "scores": "probabilities", "machine": machine}
    return same | facts | named | figures


def run_of(*systems: dict[str, Any]) -> dict[str, Any]:
    sizes = {"n_rows": 9, "n_features": 8, "n_labels": 7, "n_test_rows": 6}
    return {"data": "tiny", "threads": 1, "seed": 0, **sizes, "systems": list(systems)}


def losses(*systems: dict[str, Any]) -> str:
    return losses_list([run_of(*systems)])


OURS = system("labeltree", "labeltree")


def test_equal_systems_lose_nothing() -> None:
    assert losses(OURS, system("other", "x")) == "- **tiny**: nothing."


def test_points_of_precision_that_are_lost_are_named() -> None:
    made = losses(OURS, system("other", "x", **{"P@5": 10.3}))
    assert made == "- **tiny**: P@5: other by 0.3 points."


def test_a_larger_calibration_error_is_no_loss_of_ours() -> None:
    made = losses(OURS, system("other", "x", **{"ECE@5": 12.0}))
    assert made == "- **tiny**: nothing."


def test_times_that_are_lost_are_named_the_worst_first() -> None:
    rivals = [system("fast", "x", single_p50_us=5.0), system("faster", "y", single_p50_us=2.0)]
    made = losses(OURS, *rivals)
    assert made == "- **tiny**: one row, median: faster 5 times, fast 2 times."


def test_times_within_noise_are_no_loss() -> None:
    made = losses(OURS, system("other", "x", train_cpu_s=9.5))
    assert made == "- **tiny**: nothing."


def test_precision_is_lost_by_the_paired_difference() -> None:
    paired = {"P@1": 10.6, "P@1_lead_se": 0.25}
    within = system("within", "x", **paired, **{"P@1_lead": -0.5})
    beyond = system("beyond", "x", **paired, **{"P@1_lead": -0.52})
    made = losses(OURS, within, beyond)
    assert made == "- **tiny**: P@1: beyond by 0.5 points."


def test_a_figure_that_is_missing_has_no_lead() -> None:
    assert Measure("gone", "gone").lead(OURS, OURS) is None


def test_a_factor_above_one_is_a_lead_of_ours() -> None:
    slow = system("slow", "x", train_cpu_s=80.0, batch_rows_per_cpu_s=5)
    leads = {measure.key: measure.lead(OURS, slow) for measure in COST}
    assert leads["train_cpu_s"] == 8
    assert leads["batch_rows_per_cpu_s"] == 2


def test_a_failure_is_named_below_the_table_and_says_why() -> None:
    lost = {"status": "failed", "error": "train ended with status 1\nValueError: a | b"}
    made = rivals_table(run_of(OURS, system("other", "x") | lost))
    assert "No figures: other (failed: ValueError: a / b)." in made


def test_the_spread_of_several_trainings_is_below_the_table() -> None:
    other = system("other", "x", **{"P@1_spread": [9.8, 10.3]})
    assert "P@1 of several trainings: other 9.8 to 10.3." in rivals_table(run_of(OURS, other))


def test_a_run_without_timed_queries_has_dashes() -> None:
    ours = {key: value for key, value in OURS.items() if not key.startswith("single")}
    run = run_of(ours, system("other", "x"))
    assert "| 10.0 | 10 | 10.0 / 10.0 / 10.0 | 10.0 | – | – |" in rivals_table(run)
    assert summary_table([run], HOME).splitlines()[2].endswith("| – |")


def test_the_picture_has_a_point_for_each_known_system() -> None:
    others = [system("PECOS XR-Linear", "libpecos"), system("not drawn", "x")]
    (axes,) = draw([run_of(OURS, *others)]).axes
    drawn = [line.get_label() for line in axes.lines if line.get_xdata()[0] > 0]
    assert drawn == ["labeltree", "PECOS"]


def test_no_two_systems_look_the_same_in_the_picture() -> None:
    looks = [look for _, *look in LOOKS.values()]
    assert all(look not in looks[:i] for i, look in enumerate(looks))


def test_factors_are_those_of_systems_of_one_run() -> None:
    other = system("PECOS XR-Linear", "libpecos", train_cpu_s=OURS["train_cpu_s"] * 4, run="a")
    assert "| PECOS XR-Linear | 4.0 |" in factors_table([run_of({**OURS, "run": "a"}, other)])
    assert "PECOS" not in factors_table([run_of({**OURS, "run": "b"}, other)])


def test_systems_kept_from_an_earlier_run_are_named() -> None:
    run = run_of({**OURS, "run": "b"}, system("other", "x", run="a"))
    assert "Kept from an earlier run: other." in rivals_table(run)


def test_medians_are_of_one_of_the_runs() -> None:
    assert median_of([{"a": 3}, {"a": 1}])["a"] == 3


def test_words_and_equal_figures_have_no_spread() -> None:
    run = {"version": "1.0", "single_rows": 9}
    assert median_of([run, run]) == run


@pytest.mark.parametrize(("key", "best"), [("open_s", "b"), ("batch_rows_per_s", "a")])
def test_each_figure_is_of_the_better_layout(key: str, best: str) -> None:
    found = best_of({"a": {key: 2.0}, "b": {key: 1.0}})
    assert found["layouts"] == {key: best}


def test_a_set_without_other_systems_has_no_losses_to_name() -> None:
    assert losses(OURS) == "- **tiny**: no other system was measured."


def test_accuracy_is_shown_with_the_lead_and_two_standard_errors() -> None:
    leads = {f"P@{k}_{name}": 0.5 for k in (1, 3, 5) for name in ("lead", "lead_se")}
    made = accuracy_table(run_of(OURS, system("other", "x", **leads)))
    assert "+0.5 ± 1.0 / +0.5 ± 1.0 / +0.5 ± 1.0" in made


def test_losses_may_be_those_of_accuracy_only() -> None:
    faster = system("fast", "x", single_p50_us=5.0)
    assert losses_list([run_of(OURS, faster)], QUALITY) == "- **tiny**: nothing."


def test_the_short_table_shows_the_best_other_figure_of_each_column() -> None:
    pecos = system("PECOS XR-Linear", "libpecos", **{"P@1": 9.0, "train_cpu_s": 20.0})
    napkin = system("napkinXC PLT", "napkinxc", **{"P@1": 8.0, "train_cpu_s": 15.0})
    made = summary_table([run_of(OURS, pecos, napkin)], HOME)
    assert "| tiny, 7 labels | **10.0** · 9.0 | **10.0** · 15.0 | **10** · 10 |" in made
    assert "Commit abc, Abacus, one thread." in made


def test_the_plot_of_the_home_page_has_a_marker_per_system() -> None:
    run = run_of(OURS, system("PECOS XR-Linear", "libpecos"))
    axes = draw_home([run]).axes
    assert [[line.get_label() for line in one.lines] for one in axes] == [
        ["PECOS", "labeltree"]
    ] * 2
