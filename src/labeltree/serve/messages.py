"""Requests and answers of the routes of our own; `openapi` describes them from these classes."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

Count = Annotated[int, Meta(ge=1)]
Probability = Annotated[float, Meta(ge=0, le=1)]
Label = str | int | float | bool


class SparseRow(Struct, forbid_unknown_fields=True):
    """One row of numeric features: the columns that are not 0, and their values."""

    indices: list[Annotated[int, Meta(ge=0)]]
    values: list[float]


#: A dense row has one number per column; an object has values by the name of the column.
Row = SparseRow | list[float]


class TagRequest(Struct, forbid_unknown_fields=True):
    """Texts, or rows of features, to tag. Give exactly one of text, texts and features."""

    text: str | UnsetType = UNSET
    texts: list[str] | UnsetType = UNSET
    features: list[Row] | UnsetType = UNSET
    k: Count = 5
    threshold: Probability | None = None
    labels: list[Label] | None = None  # return only these
    exclude_labels: list[Label] | None = None  # never return these
    model: str | None = None  # the first model if there are several


class Tag(Struct):
    """A label and its probability."""

    label: Any
    probability: float


class TagAnswer(Struct):
    """The labels of each text or row, the most probable first."""

    model: str
    version: str  # changes when the model is reloaded
    results: list[list[Tag]]


class ExplainRequest(Struct, forbid_unknown_fields=True):
    """A text, or a row of features, whose label to explain; the most probable label if None."""

    text: str | UnsetType = UNSET
    features: Row | UnsetType = UNSET
    label: Label | None = None
    top_features: Annotated[int, Meta(ge=0, le=100)] = 8
    model: str | None = None


class Highlight(Struct):
    """Characters of the text that raise (above 0) or lower the log-odds of the label."""

    start: int
    end: int
    contribution: float


class ExplainAnswer(Struct):
    """Why a label has its probability, and what the search for labels cost."""

    model: str
    version: str
    explanation: dict[str, Any]  # see Explanation.to_dict
    highlights: list[Highlight]
    cost: dict[str, float]


class FeedbackRequest(Struct, forbid_unknown_fields=True):
    """What a person thinks of the labels of a text."""

    text: str
    accepted: list[Label] = []
    rejected: list[Label] = []
    added: list[Label] = []  # labels that were not suggested
    model: str | None = None


class FeedbackAnswer(Struct):
    """The feedback was written to disk."""

    id: str


class ReloadAnswer(Struct):
    """The version of each model after reloading."""

    versions: dict[str, str]
    errors: dict[str, str]


decode_tag = msgspec.json.Decoder(TagRequest).decode
decode_explain = msgspec.json.Decoder(ExplainRequest).decode
decode_feedback = msgspec.json.Decoder(FeedbackRequest).decode
encode = msgspec.json.Encoder().encode
