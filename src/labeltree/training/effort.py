"""Effort: how much training time to spend on accuracy, as values of parameters left open."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from labeltree.arguments import shown
from labeltree.model.model import Model
from labeltree.training.fit import FitSettings, Fitted
from labeltree.training.inner_split import NO_ROWS
from labeltree.training.interactions import Interactions
from labeltree.trees.by_name import AUTO, find_builder

FAST, DEFAULT, HIGH, BEST = EFFORTS = ("fast", "default", "high", "best")

_AUTO: tuple[str, dict[str, Any]] = (AUTO, {})
# Its nodes are narrower if rows have many features, so fewer classifiers are trained.
_NARROW_AUTO = (AUTO, {"width": 0.3, "min_per_row": 30})
# k-means trees are unlike "auto" trees, so they make unlike mistakes.
_WIDE = ("kmeans", {"arity": 100, "balanced": False})
_NARROW = ("kmeans", {"arity": 16, "max_leaf_size": 16})
_FOREST = (_AUTO, _AUTO, _WIDE)
_LARGE_FOREST = (*_FOREST, _AUTO, _WIDE, _WIDE, _NARROW, _NARROW, _NARROW)


@dataclass(frozen=True)
class Level:
    """What one level of effort fills in."""

    trees: tuple[tuple[str, Mapping[str, Any]], ...]  # builder of each tree, and its parameters
    # More trees are trained only if held-back rows do not gain from rankers, and kept if these rows
    # gain from the trees.
    n_sure: int = 1
    rerank: bool | str = False
    interactions: float = 0.5  # pairs per row, as a share of the features of short rows
    time: float = 1.0  # training time relative to the default, about


#: What each level means. The front of accuracy and time is in docs/how-to/effort.md.
LEVELS = {
    FAST: Level((_NARROW_AUTO,), interactions=0.0, time=0.5),
    DEFAULT: Level((_AUTO,)),
    HIGH: Level(_FOREST, n_sure=3, interactions=1.0, time=4.0),
    BEST: Level(_LARGE_FOREST, n_sure=3, rerank="auto", interactions=1.0, time=10.0),
}


def filled(params: Mapping[str, Any]) -> dict[str, Any]:
    """Return parameters of a classifier, with those that are left open filled in by `effort`.

    Open are a `tree` of "auto" without `tree_params`, an `n_trees` or `rerank` of None, and
    `interactions` of "auto". A value that is given stays. If only the number of trees is open, the
    forest has more trees of the given builder.

    Examples
    --------
    >>> open_ = {"tree_params": None, "n_trees": None, "rerank": None, "interactions": None}
    >>> found = filled({"effort": "best", "tree": "kmeans", **open_})
    >>> found["tree"], found["n_trees"], found["rerank"]
    ('kmeans', 3, 'auto')
    """
    level = _level(params["effort"])
    # What held-back rows choose is not there with other nodes, nor if trees do not change.
    has_choice = params.get("node_estimator") is None and not params.get("warm_start")
    made = {**params, "n_sure": None}
    if params["n_trees"] is None:
        made |= _forest(level, params["tree"], params["tree_params"], has_choice=has_choice)
    if params["rerank"] is None:
        made["rerank"] = level.rerank if has_choice else False
    if params["interactions"] == "auto":
        is_native = params.get("node_estimator") is None and params.get("normalize", True)
        made["interactions"] = Interactions(None, level.interactions if is_native else 0.0)
    else:
        made["interactions"] = Interactions(params["interactions"] or 0.0)
    return made


def _level(effort: Any) -> Level:
    if not isinstance(effort, str) or effort not in LEVELS:
        raise ValueError(f"effort must be one of {', '.join(LEVELS)}, but is {shown(effort)}")
    return LEVELS[effort]


def _forest(level: Level, tree: Any, tree_params: Any, *, has_choice: bool) -> dict[str, Any]:
    """Return the trees of a level, as far as they are open."""
    if not isinstance(tree, str):  # given trees
        return {"n_trees": 1}
    if tree != AUTO or tree_params:
        return {"n_trees": level.n_sure if find_builder(tree).is_seeded else 1}
    trees = level.trees if has_choice else level.trees[: level.n_sure]
    if len(trees) == 1:
        return {"tree": trees[0][0], "tree_params": trees[0][1], "n_trees": 1}
    names, options = (list(part) for part in zip(*trees, strict=True))
    return {
        "tree": names,
        "tree_params": options,
        "n_trees": len(names),
        "n_sure": level.n_sure if len(names) > level.n_sure else None,
    }


def decided(settings: FitSettings, fitted: Fitted) -> dict[str, Any]:
    """Return what a fit was made with: builders of trees, C, passes, and whether it re-ranks.

    The name of a tree that was given is "given".
    """
    forest = settings.forest.cut(len(fitted.model.trees))
    held = NO_ROWS if fitted.held is None else fitted.held.rows
    return {
        "tree": [tree if isinstance(tree, str) else "given" for tree in forest.listed],
        "tree_params": [dict(options) for options in forest.options],
        "C": settings.solver.C,
        "max_iter": settings.solver_of(held).max_iter,
        "rerank": isinstance(fitted.model, Model) and fitted.model.rankers is not None,
    }


def written(settings: Mapping[str, Any]) -> str:
    """Return what a fit decided, the numbers of pairs included, as one line.

    Examples
    --------
    >>> written({"tree": ["auto", "kmeans"], "tree_params": [{}, {"arity": 2}], "C": 1.0,
    ...          "max_iter": 9, "rerank": True, "n_interactions": 1200, "n_implications": 1})
    'auto, kmeans (arity=2); C=1; max_iter=9; re-ranked; 1,200 pairs of features; 1 implication'
    """
    trees = []
    for name, options in zip(settings["tree"], settings["tree_params"], strict=True):
        listed = ", ".join(f"{key}={value!r}" for key, value in options.items())
        trees.append(f"{name} ({listed})" if listed else str(name))
    words = [", ".join(trees), f"C={settings['C']:g}", f"max_iter={settings['max_iter']}"]
    words += ["re-ranked"] if settings["rerank"] else []
    n_pairs, n_implied = settings["n_interactions"], settings["n_implications"]
    words += [f"{n_pairs:,} pair{'s' * (n_pairs > 1)} of features"] if n_pairs else []
    words += [f"{n_implied:,} implication{'s' * (n_implied > 1)}"] if n_implied else []
    return "; ".join(words)
