"""Numbers with units that pages may have in running text, by page, with the reason of each."""

from __future__ import annotations

_SETTING = "a setting of the measurement"
_NOISE = "a limit below which differences are called noise"
_HISTORY = "history: how settings were chosen"
_BY_HAND = "an estimate by hand, with its arithmetic beside it"

ALLOWED: dict[str, dict[str, str]] = {
    "docs/explanation/calibration.md": {
        "holds back 5 % of the rows": "a default",
        "loses 1 to 6 points of P@1": "history: a method that was given up",
    },
    "docs/explanation/cluster-scaling.md": {
        "takes 5 ms for its way": "an assumption of the simulation",
        "need 10 s to start": "an assumption of the simulation",
        **dict.fromkeys(
            (
                "164 GB",
                "68 GB",
                "17 CPU h | 42 µs",
                "1 CPU h | 2.6 µs",
                "at most 41 GB",
                "10 min | 4.6 µs",
                "5 CPU min | 31 µs",
                "20 GB | 2 kB",
                "about 3 s per million rows, or 50 minutes",
                "32 cores and 512 GB",
            ),
            _BY_HAND,
        ),
    },
    "docs/explanation/plan-estimates.md": {
        "are estimated within 30 %": _SETTING,
        "estimated up to 40 % too fast": "of rows that are not in the results",
    },
    "docs/explanation/accuracy.md": {
        "did not end within 60 minutes": _SETTING,
        "Differences below 0.1 points": _NOISE,
        "after it had cost 1.3 points of P@1": _HISTORY,
    },
    "docs/explanation/benchmarks.md": {
        "needs more than 15 minutes is stopped": _SETTING,
        "Differences of time below 10 %": _NOISE,
        "and of percentages below 0.1 points": _NOISE,
    },
    "docs/explanation/training-steps.md": {
        "n log n would be 3.4 times": "arithmetic: the sizes of the table",
    },
}
