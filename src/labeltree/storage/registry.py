"""Kinds of estimators that model files hold, by the name that a file gives them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Protocol, Self, TypeVar

from labeltree.storage.section import Section, take_section

#: The section that names the kind.
ESTIMATOR = "estimator"


class Storable(Protocol):
    """A fitted estimator that can be written to a model file."""

    _section_names: ClassVar[frozenset[str]]  # of all sections that its files may have

    def _sections(self) -> list[Section]:
        """Return the sections of the file; the content of the first names the kind."""

    @classmethod
    def _from_sections(cls, sections: Mapping[str, Section], *, every_weight: bool) -> Self:
        """Return the estimator of a file; ValueError if it breaks a rule."""


_KINDS: dict[str, type[Storable]] = {}
Kind = TypeVar("Kind", bound=type[Storable])


def register(kind: Kind) -> Kind:
    """Let model files hold estimators of this class; a class decorator."""
    _KINDS[kind.__name__] = kind
    return kind


def known_sections() -> set[str]:
    """Return the names of the sections that files of any kind may have."""
    return {name for kind in _KINDS.values() for name in kind._section_names}


def find_kind(name: Any) -> type[Storable]:
    """Return the class of a name that a file gives."""
    if not isinstance(name, str) or name not in _KINDS:
        raise ValueError(f"the estimator {name!r:.40} is unknown to this release")
    return _KINDS[name]


def kind_of(sections: Mapping[str, Section]) -> type[Storable]:
    """Return the class of the estimator of a file, which may have all of its sections."""
    kind = find_kind(take_section(sections, ESTIMATOR).content.get("kind"))
    odd = min(sections.keys() - kind._section_names, default=None)
    if odd is not None:
        raise ValueError(f"section {odd!r} does not belong to a {kind.__name__}")
    return kind


def check_kind(estimator: Any) -> None:
    """Refuse an estimator whose class is not registered, such as a subclass."""
    if _KINDS.get(type(estimator).__name__) is not type(estimator):
        raise ValueError(
            f"a model file holds one of {', '.join(_KINDS)}, but this is a "
            f"{type(estimator).__name__}; pickle it instead"
        )
