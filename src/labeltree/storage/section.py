"""A named part of a model file: a JSON object and arrays."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from numpy.typing import NDArray

#: What names of sections and arrays look like.
NAME = re.compile(r"[a-z0-9_.]{1,100}")

_WORDS = {
    str: "text",
    bool: "true or false",
    int: "an integer",
    float: "a number",
    list: "a list",
    dict: "an object",
}


@dataclass(frozen=True, eq=False)
class Section:
    """A part of a file that a reader takes as a whole, or not at all.

    Parameters
    ----------
    name
        Letters a-z, digits, "_" and "."; unique in a file.
    content
        Anything that JSON can represent.
    arrays
        Arrays of one or two dimensions by name. No other section of the file has these names.
    required
        Whether a reader that does not know the section must refuse the file. A reader skips
        optional sections that it does not know.
    """

    name: str
    content: Mapping[str, Any]
    arrays: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    required: bool = True

    def check_content(self, kinds: Mapping[str, type]) -> None:
        """Refuse content with other keys than these, or with a value of another kind.

        Examples
        --------
        >>> Section("labels", {"names": 3}).check_content({"names": str})
        Traceback (most recent call last):
        ...
        ValueError: section 'labels': names must be text, but is 3
        """
        odd = min(self.content.keys() ^ kinds.keys(), default=None)
        if odd is not None:
            why = "is missing" if odd in kinds else "is unknown to this release. Upgrade labeltree"
            raise ValueError(f"section {self.name!r}: {odd!r:.40} {why}")
        for key, kind in kinds.items():
            value = self.content[key]
            # True is not an integer, but an integer is a number.
            if type(value) is not kind and (kind, type(value)) != (float, int):
                raise ValueError(
                    f"section {self.name!r}: {key} must be {_WORDS[kind]}, but is {value!r:.40}"
                )

    def check_arrays(self, known: Collection[str]) -> None:
        """Refuse arrays that are not among the known ones.

        Examples
        --------
        >>> import numpy as np
        >>> Section("text", {}, {"x": np.zeros(1)}).check_arrays(["words.idf"])
        Traceback (most recent call last):
        ...
        ValueError: section 'text': array x is unknown to this release. Upgrade labeltree
        """
        odd = min(self.arrays.keys() - set(known), default=None)
        if odd is not None:
            raise ValueError(
                f"section {self.name!r}: array {odd} is unknown to this release. Upgrade labeltree"
            )


def take_section(sections: Mapping[str, Section], name: str) -> Section:
    """Return the section of this name.

    Examples
    --------
    >>> take_section({}, "model")
    Traceback (most recent call last):
    ...
    ValueError: section 'model' is missing
    """
    if name not in sections:
        raise ValueError(f"section {name!r} is missing")
    return sections[name]
