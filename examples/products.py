"""Sort products into the categories of a shop, and name the departments above them.

python examples/products.py
"""

from __future__ import annotations

import numpy as np

import labeltree as lt

BRANDS = ["Alba", "Borea", "Corvo", "Delta", "Ember"]
SHAPES = ["small", "large", "light", "heavy", "foldable", "set of two"]
SHOP = {
    "kitchen": {
        "knives": "knife blade steel",
        "pans": "pan nonstick lid",
        "kettles": "kettle water boil",
    },
    "garden": {"spades": "spade soil steel", "hoses": "hose water nozzle", "pots": "pot clay lid"},
    "office": {"pens": "pen ink refill", "paper": "paper sheets white", "lamps": "lamp desk light"},
}


def products(n: int, seed: int) -> tuple[list[str], list[str]]:
    """Return titles of made-up products, and the category of each."""
    rng = np.random.default_rng(seed)
    leaves = [(name, words.split()) for part in SHOP.values() for name, words in part.items()]
    chosen = [leaves[i] for i in rng.integers(len(leaves), size=n)]
    titles = [
        f"{rng.choice(BRANDS)} {rng.choice(words)} {rng.choice(SHAPES)} {rng.choice(words)}"
        for _, words in chosen
    ]
    return titles, [name for name, _ in chosen]


def main() -> None:
    """Train with the tree of the shop, and print what the first new products are."""
    titles, categories = products(2000, seed=0)
    pairs = [(part, name) for part, names in SHOP.items() for name in names]
    hierarchy = lt.trees.Hierarchy(pairs)
    tree = lt.trees.from_hierarchy(hierarchy, [[name] for name in categories])
    tagger = lt.TextTagger(tree=tree).fit(titles, [[name] for name in categories])

    new, truth = products(500, seed=1)
    found = tagger.tag(new, k=1)
    right = np.mean([tags[0][0] == name for tags, name in zip(found, truth, strict=True)])
    print(f"accuracy {right:.3f}")
    concepts, probabilities = lt.ancestor_proba(tagger, new[:3], hierarchy, threshold=0.3)
    for title, row in zip(new[:3], probabilities.toarray(), strict=True):
        above = ", ".join(f"{concepts[i]} {row[i]:.2f}" for i in np.argsort(-row)[:2] if row[i])
        print(f"{title!r}: {above}")


if __name__ == "__main__":
    main()
