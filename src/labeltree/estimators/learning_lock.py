"""Methods that learn exclude each other; any number of threads may predict beside them."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from threading import RLock
from typing import Any, Concatenate, ParamSpec, TypeVar

_Estimator = TypeVar("_Estimator", bound="OneLearner")
_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")


class LearningLock:
    """A lock of one estimator. A copy of the estimator, or one from a pickle, gets its own."""

    def __init__(self) -> None:
        self._lock = RLock()

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()

    def __reduce__(self) -> tuple[Any, ...]:
        return LearningLock, ()


class OneLearner:
    """An estimator that one thread at a time may change."""

    @property
    def _learning_lock(self) -> LearningLock:
        # Not set by __init__, which sets parameters only; setdefault is atomic.
        lock: LearningLock = self.__dict__.setdefault("_lock", LearningLock())
        return lock


def one_at_a_time(
    method: Callable[Concatenate[_Estimator, _Arguments], _Result],
) -> Callable[Concatenate[_Estimator, _Arguments], _Result]:
    """Return the method with the lock of its estimator held while it runs."""

    @wraps(method)
    def locked(self: _Estimator, /, *args: _Arguments.args, **kwargs: _Arguments.kwargs) -> _Result:
        with self._learning_lock:
            return method(self, *args, **kwargs)

    return locked
