"""Parsing of budgets, and formatting of amounts."""

from __future__ import annotations

import pytest

from labeltree.planning.budget import Budget
from labeltree.units import compact, format_bytes, format_seconds


@pytest.mark.parametrize(
    ("given", "limits"),
    [
        ("60s", {"time": 60}),
        ("1.5min", {"time": 90}),
        ("2h", {"time": 7200}),
        ("500MB", {"memory": 5e8}),
        ("2 GiB", {"memory": 2**31}),
        ("time=5ms", {"time": 5e-3}),
        ("50us", {"query": 5e-5}),
        ("query=1s", {"query": 1}),
        ("60s, 1kb ,model=20MB", {"time": 60, "memory": 1000, "model": 2e7}),
        ({"time": 30, "memory": "1GB"}, {"time": 30, "memory": 1e9}),
        (None, {}),
    ],
)
def test_units_determine_the_limit(given, limits) -> None:
    assert Budget.parse(given).limits() == pytest.approx(limits)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("60", "a limit is a number and a unit"),
        ("", "a limit is a number and a unit"),
        ("-3s", "a limit is a number and a unit"),
        ("fast", "a limit is a number and a unit"),
        ("3 parsecs", "a limit is a number and a unit"),
        ("0s", "time must be finite and above 0, but is 0"),
        ("60s,5min", "sets time twice"),
        ("memory=5s", "a limit of memory must be in b"),
        ("time=5MB", "a limit of time must be in"),
        ("speed=5s", "limits time, memory, model, query, but got 'speed'"),
        ({"time": float("inf")}, "time must be finite"),
    ],
)
def test_malformed_budget_is_refused(given, message) -> None:
    with pytest.raises(ValueError, match=message):
        Budget.parse(given)


def test_number_without_unit_is_refused() -> None:
    with pytest.raises(TypeError, match="budget must be a string"):
        Budget.parse(60)  # type: ignore[arg-type]


def test_budget_passes_through() -> None:
    budget = Budget(time=1.0)
    assert Budget.parse(budget) is budget


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0us"), (1e-7, "0.1us"), (0.9996e-3, "1.0ms"), (0.9999, "1.0s"), (3599, "60min")],
)
def test_seconds_are_formatted_in_a_suitable_unit(seconds, text) -> None:
    assert format_seconds(seconds) == text


@pytest.mark.parametrize(
    ("size", "text"), [(0, "0B"), (5, "5B"), (999_999, "1.0MB"), (3e13, "30TB")]
)
def test_bytes_are_formatted_in_a_suitable_unit(size, text) -> None:
    assert format_bytes(size) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.04, "0.0"),
        (999.96, "1,000"),
        (9_999, "9,999"),
        (9_999.7, "10.0k"),
        (99_960, "100k"),
        (999_600, "1.0M"),
    ],
)
def test_numbers_stay_within_five_characters(value, text) -> None:
    assert compact(value) == text
