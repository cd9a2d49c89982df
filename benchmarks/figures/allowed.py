"""Numbers with units that pages may have in running text, by page, with the reason of each."""

from __future__ import annotations

_SETTING = "a setting of the measurement"
_NOISE = "a limit below which differences are called noise"
_HISTORY = "history: how settings were chosen"

ALLOWED: dict[str, dict[str, str]] = {
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
    "docs/explanation/scale.md": {
        "n log n would be 3.4 times": "arithmetic: the sizes of the table",
    },
}
