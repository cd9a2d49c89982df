"""Kinds of estimators that model files hold, by the name that a file gives them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, Self, TypeVar

from numpy.typing import NDArray

Arrays = Mapping[str, NDArray[Any]]


class Storable(Protocol):
    """A fitted estimator that can be written to a model file."""

    def _contents(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """Return what the file holds: a header that JSON can represent, and arrays by name."""

    @classmethod
    def _from_contents(cls, header: dict[str, Any], arrays: Arrays, *, every_weight: bool) -> Self:
        """Return the estimator of a file; ValueError if it breaks a rule."""


_KINDS: dict[str, type[Storable]] = {}
Kind = TypeVar("Kind", bound=type[Storable])


def register(kind: Kind) -> Kind:
    """Let model files hold estimators of this class; a class decorator."""
    _KINDS[kind.__name__] = kind
    return kind


def find_kind(name: Any) -> type[Storable]:
    """Return the class of a name that a file gives."""
    if not isinstance(name, str) or name not in _KINDS:
        raise ValueError(f"the estimator {name!r:.40} is unknown to this release")
    return _KINDS[name]


def check_kind(estimator: Any) -> None:
    """Refuse an estimator whose class is not registered, such as a subclass."""
    if _KINDS.get(type(estimator).__name__) is not type(estimator):
        raise ValueError(
            f"a model file holds one of {', '.join(_KINDS)}, but this is a "
            f"{type(estimator).__name__}; pickle it instead"
        )
