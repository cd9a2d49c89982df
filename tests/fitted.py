"""Estimators with parts of their fitted state replaced."""

from dataclasses import replace
from typing import Any


def with_state(estimator: Any, **parts: Any) -> Any:
    """Replace parts of the state of a fitted estimator, and return it."""
    estimator._state = replace(estimator._fitted, **parts)
    return estimator


def with_model(estimator: Any, model: Any) -> Any:
    """Give a fitted estimator another model, and return it."""
    return with_state(estimator, laid_out=model)
