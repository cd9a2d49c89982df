"""Numbers with units that pages may have in running text, by page, with the reason of each."""

from __future__ import annotations

_SETTING = "a setting of the measurement"
_NOISE = "a limit of what is called noise"

ALLOWED: dict[str, dict[str, str]] = {}
