"""The two types of data sets: texts with tags, and matrices."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from labeltree.data import LabelRows


@dataclass(frozen=True, repr=False)
class TextData:
    """Texts and the tags of each, in the same order.

    Examples
    --------
    >>> TextData("pets", ["a dog barks", "a fish"], [["pet", "pet.dog"], ["pet"]])
    <TextData pets: 2 texts, 2 tags, 1.5 tags per text>
    """

    name: str
    texts: list[str]
    tags: list[list[str]]

    def __post_init__(self) -> None:
        if len(self.texts) != len(self.tags):
            raise ValueError(
                "texts and tags must have the same length, but have "
                f"{len(self.texts)} and {len(self.tags)} entries"
            )

    @cached_property
    def tag_names(self) -> list[str]:
        """All tags in use, sorted."""
        return sorted({tag for tags in self.tags for tag in tags})

    def __repr__(self) -> str:
        per_text = sum(map(len, self.tags)) / max(len(self.tags), 1)
        return (
            f"<TextData {self.name}: {len(self.texts):,} texts, {len(self.tag_names):,} tags, "
            f"{per_text:.1f} tags per text>"
        )


@dataclass(frozen=True, repr=False)
class MatrixData:
    """Feature rows and their labels, with optional test rows of the same width."""

    name: str
    X: Any  # scipy.sparse.csr_array, float32
    Y: LabelRows
    X_test: Any | None = None
    Y_test: LabelRows | None = None

    def __repr__(self) -> str:
        test = "" if self.X_test is None else f", {self.X_test.shape[0]:,} test rows"
        return (
            f"<MatrixData {self.name}: {self.X.shape[0]:,} rows{test}, "
            f"{self.X.shape[1]:,} features, {self.Y.n_labels:,} labels>"
        )
