"""The search space: the default settings, and others that differ from them in a few choices."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from labeltree.training.effort import DEFAULT, EFFORTS
from labeltree.training.solver_settings import SolverSettings

Settings = dict[str, Any]  # parameters of an estimator; all others keep their defaults

_KEPT = 0.5  # probability that drawn settings keep a choice of the center
_C = SolverSettings.C

# Alternatives to the default for each choice, a group of parameters that belong together.
# The first is tried first.
MODEL_CHOICES: dict[str, list[Settings]] = {
    "effort": [{"effort": level} for level in EFFORTS if level != DEFAULT],
    "C": [{"C": factor * _C} for factor in (0.25, 0.5, 2.0, 4.0, 8.0, 16.0)],
    "loss": [{"loss": "logistic"}],
    "tree": [
        {"tree_params": {"width": 1.0}},
        {"tree_params": {"width": 10.0}},
        {"tree": "cheapest"},
        {"tree": "kmeans"},
    ],
}
TEXT_CHOICES: dict[str, list[Settings]] = {
    "words": [
        {"ngram_range": (1, 1)},
        {"ngram_range": (1, 3)},
        {"analyzer": "char_wb", "ngram_range": (2, 4)},
        {"analyzer": "char_wb", "ngram_range": (3, 6)},
    ],
    "min_df": [{"min_df": 1}, {"min_df": 3}],
    "sublinear_tf": [{"sublinear_tf": False}],
}
# The choice that is made once the user sets a parameter.
_CHOICE_OF = {
    "tree_params": "tree",
    "n_trees": None,
    "analyzer": "words",
    "ngram_range": "words",
}


def open_choices(fixed: Mapping[str, Any], *, is_text: bool) -> dict[str, list[Settings]]:
    """Return the choices that the parameters set by the user leave open.

    Examples
    --------
    >>> list(open_choices({"C": 2.0, "ngram_range": (1, 1)}, is_text=True))
    ['effort', 'loss', 'tree', 'min_df', 'sublinear_tf']
    """
    settled = {_CHOICE_OF.get(name, name) for name in fixed}
    if fixed.get("n_features") is not None:
        settled.add("min_df")  # has no effect on hashed words
    choices = MODEL_CHOICES | (TEXT_CHOICES if is_text else {})
    return {name: options for name, options in choices.items() if name not in settled}


def draw_settings(
    choices: Mapping[str, list[Settings]], seed: int, around: Settings | None = None
) -> Iterator[Settings]:
    """Iterate over settings close to a center, each once and without the center itself.

    Settings that differ from it in one choice come first, those with another `effort` before all
    others, then those that differ in several.

    Parameters
    ----------
    choices
        Alternatives to the default for each choice.
    seed
        Seed for the order.
    around
        The center, made of these choices; the default settings if None.

    Examples
    --------
    >>> choices = {"C": [{"C": 2.0}], "loss": [{"loss": "logistic"}]}
    >>> list(draw_settings(choices, seed=0))
    [{'C': 2.0}, {'loss': 'logistic'}, {'C': 2.0, 'loss': 'logistic'}]
    >>> list(draw_settings(choices, seed=0, around={"C": 2.0}))
    [{}, {'C': 2.0, 'loss': 'logistic'}, {'loss': 'logistic'}]
    """
    generator = np.random.default_rng(seed)
    made = around or {}
    options = [[{}, *others] for others in choices.values()]
    # Among the options contained in the settings, the longest is the chosen one.
    center = [
        max((o for o in each if o.items() <= made.items()), key=len) if each else {}
        for each in options
    ]
    seen = {repr(_joined(center))}
    singles = [
        [*center[:i], option, *center[i + 1 :]]
        for i, each in enumerate(options)
        for option in each
        if option != center[i]
    ]
    order: list[int] = generator.permutation(len(singles)).tolist()
    effort = made.get("effort")
    for i in sorted(order, key=lambda i: _joined(singles[i]).get("effort") == effort):
        seen.add(repr(_joined(singles[i])))
        yield _joined(singles[i])
    n_all = int(np.prod([len(each) for each in options], dtype=np.int64))
    while len(seen) < n_all:
        drawn = [
            kept if generator.random() < _KEPT else each[int(generator.integers(len(each)))]
            for each, kept in zip(options, center, strict=True)
        ]
        if repr(_joined(drawn)) not in seen:
            seen.add(repr(_joined(drawn)))
            yield _joined(drawn)


def _joined(options: Iterable[Settings]) -> Settings:
    return {name: value for option in options for name, value in option.items()}


def described(settings: Mapping[str, Any]) -> str:
    """Return settings as short text.

    Examples
    --------
    >>> described({"C": 2.0, "tree_params": {"width": 1.0}}), described({})
    ('C=2, width=1', 'default')
    """
    flat = dict(settings)
    flat |= flat.pop("tree_params", None) or {}
    return ", ".join(f"{name}={_value(value)}" for name, value in flat.items()) or "default"


def _value(value: Any) -> str:
    if isinstance(value, tuple):
        return "-".join(map(str, value))
    return f"{value:g}" if isinstance(value, float) else str(value)
