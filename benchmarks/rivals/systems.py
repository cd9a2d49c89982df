"""Which systems there are, what each needs, and the settings each is measured with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

_MATRICES = ("numpy", "scipy")


@dataclass(frozen=True)
class Rival:
    """A package that is measured.

    Parameters
    ----------
    package
        Its name in the package index.
    installs
        Arguments of pip, one call after the other; none for what is installed already.
    text
        The kind of text file that it reads itself; None if it takes matrices.
    seed
        Name of its seed among the settings; None where it has none.
    scores
        What its scores are: "probabilities", what else lies between 0 and 1, or "margins", "none".
    layouts
        The forms in which it opens a model; each figure is taken from the form that is best for it.
    """

    package: str
    installs: tuple[tuple[str, ...], ...] = ()
    text: str | None = None
    seed: str | None = None
    scores: str = "probabilities"
    layouts: tuple[str, ...] = ()


@dataclass(frozen=True)
class System:
    """A package with its settings: one line of the table.

    Parameters
    ----------
    name
        How the line is called.
    adapter
        The package, by the name of its adapter.
    settings
        What differs from its defaults.
    one_label
        Whether it is for rows with just one label each.
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
    # Its other requirements are for transformers, which XR-Linear does not import.
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
    # Its linear part needs no torch, which is an extra of its own since 0.9.
    "libmultilabel": Rival(
        "libmultilabel",
        (("libmultilabel==0.10.0",),),
        seed="seed",
        scores="products of sigmoid(3 × margin)",
    ),
    "one_vs_rest": Rival("scikit-learn", seed="random_state", scores="margins"),
}

# The tree, loss and C of omikuji.
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
    # As all rivals search; the lines above are exact.
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
    System("PECOS XR-Linear", "pecos"),
    # Of several labels its hierarchical softmax learns one at random, which is not what it is for.
    System(
        "fastText, hierarchical softmax",
        "fasttext",
        {"loss": "hs", "epoch": 25, "lr": 0.2},
        one_label=True,
    ),
    # Every label is updated at every row, and with a higher rate weights overflow.
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
    """Return the systems that are named, or whose adapter is."""
    for word in words:
        if not any(word in (system.name, system.adapter) for system in SYSTEMS):
            known = ", ".join([*RIVALS, *(repr(system.name) for system in SYSTEMS)])
            raise ValueError(f"systems must be among {known}, but one is {word!r}")
    return [s for s in SYSTEMS if s.name in words or s.adapter in words]
