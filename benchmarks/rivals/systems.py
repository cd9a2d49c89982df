"""The systems, their requirements, and the settings they are measured with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

_MATRICES = ("numpy", "scipy")


@dataclass(frozen=True)
class Rival:
    """A measured package.

    Parameters
    ----------
    package
        Name in the package index.
    installs
        Arguments of each call of pip; empty if the package is already installed.
    text
        Format of the text file that it reads; None if it accepts matrices.
    seed
        Name of the setting for its seed; None if it has no seed.
    scores
        Kind of its scores: "probabilities", another kind between 0 and 1, "margins" or "none".
    layouts
        Layouts in which it loads a model; each figure is that of its best layout.
    """

    package: str
    installs: tuple[tuple[str, ...], ...] = ()
    text: str | None = None
    seed: str | None = None
    scores: str = "probabilities"
    layouts: tuple[str, ...] = ()


@dataclass(frozen=True)
class System:
    """A package with settings: one row of the table.

    Parameters
    ----------
    name
        Name of the row.
    adapter
        The package, by the name of its adapter.
    settings
        Settings that differ from the defaults.
    one_label
        Whether it supports only rows with one label.
    """

    name: str
    adapter: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    one_label: bool = False

    @property
    def rival(self) -> Rival:
        """The package."""
        return RIVALS[self.adapter]


RIVALS = {
    "labeltree": Rival("labeltree", seed="random_state"),
    "omikuji": Rival(
        "omikuji",
        (("omikuji==0.5.2", *_MATRICES),),
        text="xmc",
        scores="products of exp(-hinge²)",
    ),
    "napkinxc": Rival("napkinxc", (("napkinxc==0.7.2", *_MATRICES),), seed="seed"),
    # Its other requirements are for transformers, which XR-Linear does not use.
    "pecos": Rival(
        "libpecos",
        (
            ("torch==2.13.0",),
            ("numpy<2", "scipy<1.14", "scikit-learn"),
            ("--no-deps", "libpecos==1.2.8"),
        ),
        seed="seed",
        scores="products of exp(-hinge³)",
        layouts=("hash", "mmap"),
    ),
    "fasttext": Rival("fasttext", (("fasttext==0.9.3", *_MATRICES),), text="words", seed="seed"),
    "vowpal_wabbit": Rival(
        "vowpalwabbit",
        (("vowpalwabbit==9.11.9", *_MATRICES),),
        text="vw",
        seed="random_seed",
        scores="none",
    ),
    # Its linear part does not need torch, which is a separate extra since 0.9.
    "libmultilabel": Rival(
        "libmultilabel",
        (("libmultilabel==0.10.0",),),
        seed="seed",
        scores="products of sigmoid(3 × margin)",
    ),
    "one_vs_rest": Rival("scikit-learn", seed="random_state", scores="margins"),
}

# Same tree, loss and C as omikuji.
_LIKE_OMIKUJI = {
    "tree": "kmeans",
    "tree_params": {"arity": 2, "max_leaf_size": 100},
    "loss": "squared_hinge",
    "C_decay": (0.0, 0.0),
}

SYSTEMS = [
    System("labeltree", "labeltree"),
    System("labeltree, 8-bit weights", "labeltree", {"quantize": True}),
    System("labeltree, narrower nodes", "labeltree", {"tree_params": {"width": 1}}),
    System(
        "labeltree, narrower nodes, 8-bit weights",
        "labeltree",
        {"tree_params": {"width": 1}, "quantize": True},
    ),
    System("labeltree, no feature weighting", "labeltree", {"feature_weighting": None}),
    System("labeltree, high effort", "labeltree", {"effort": "high"}),
    System("labeltree, best effort", "labeltree", {"effort": "best"}),
    System("labeltree, rare labels first", "labeltree", {"label_weighting": "propensity"}),
    System("labeltree, full label weights", "labeltree", {"label_weighting": 1.0}),
    # Beam search, like all other systems; the rows above are exact.
    System("labeltree, beam of 10", "labeltree", {"beam": 10}),
    System("labeltree, cheapest tree", "labeltree", {"tree": "cheapest"}),
    System("labeltree, 2-means tree", "labeltree", _LIKE_OMIKUJI),
    System(
        "labeltree, 2-means tree, no feature weighting",
        "labeltree",
        {**_LIKE_OMIKUJI, "feature_weighting": None},
    ),
    System("omikuji, 1 tree", "omikuji", {"n_trees": 1}),
    System("omikuji, 3 trees (default)", "omikuji"),
    System(
        "omikuji, Bonsai",
        "omikuji",
        {"cluster_k": 100, "cluster_balanced": False, "max_depth": 3},
    ),
    System("napkinXC PLT", "napkinxc"),
    System("napkinXC PLT, inverse propensities", "napkinxc", {"propensity": True}),
    System("PECOS XR-Linear", "pecos"),
    # Its hierarchical softmax trains on one random label per row, so rows must have one label.
    System(
        "fastText, hierarchical softmax",
        "fasttext",
        {"loss": "hs", "epoch": 25, "lr": 0.2},
        one_label=True,
    ),
    # Every row updates every label, and a higher learning rate makes weights overflow.
    System("fastText, one-vs-all", "fasttext", {"loss": "ova", "epoch": 25, "lr": 0.05}),
    System(
        "Vowpal Wabbit --plt",
        "vowpal_wabbit",
        {"kary_tree": 16, "passes": 5, "loss_function": "logistic", "bit_precision": 26},
    ),
    System("LibMultiLabel tree", "libmultilabel"),
    System("one-vs-rest LinearSVC", "one_vs_rest"),
]


def chosen(words: list[str]) -> list[System]:
    """Return the systems with these names or adapters; "=NAME" is a name and no adapter.

    Examples
    --------
    >>> [system.name for system in chosen(["=labeltree", "pecos"])]
    ['labeltree', 'PECOS XR-Linear']
    """
    for word in words:
        if not any(word in _words(system) for system in SYSTEMS):
            known = ", ".join([*RIVALS, *(repr(system.name) for system in SYSTEMS)])
            raise ValueError(f"systems must be among {known}, but one is {word!r}")
    return [system for system in SYSTEMS if any(word in _words(system) for word in words)]


def _words(system: System) -> tuple[str, str, str]:
    return system.name, system.adapter, f"={system.name}"
