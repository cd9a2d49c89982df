"""Tables and pictures of the theory pages."""

from __future__ import annotations

import math
from collections.abc import Iterator

from benchmarks.markdown import table
from benchmarks.pages.places import Picture, Place, Record, Table
from benchmarks.pages.theory import cost_pictures, optimum_pictures, prediction_pictures


def page(records: list[Record]) -> Iterator[Place]:
    """Yield the tables of the measured figures, then the pictures."""
    kinds: dict[str, list[Record]] = {"builders": [], "bounds": [], "cliques": []}
    for record in records:
        kinds[record["kind"]].append(record)
    yield Table("theory-builders", builders_table(kinds["builders"]))
    yield Table("theory-bounds", bounds_table(kinds["bounds"]))
    yield Table("theory-cliques", cliques_table(kinds["cliques"][0]))
    yield Picture("theory-assignment.svg", cost_pictures.assignment())
    yield Picture("theory-regret.svg", cost_pictures.regret())
    yield Picture("theory-concentration.svg", cost_pictures.concentration())
    yield Picture("theory-clique.svg", optimum_pictures.clique())
    yield Picture("theory-binary.svg", optimum_pictures.binary())
    yield Picture("theory-ternary.svg", optimum_pictures.ternary())
    yield Picture("theory-multiclass.svg", optimum_pictures.multiclass())
    yield Picture("theory-skew.svg", optimum_pictures.skew())
    yield Picture("theory-nested.svg", optimum_pictures.nested())
    yield Picture("theory-builders.svg", optimum_pictures.builders(kinds["builders"]))
    yield Picture("theory-tight.svg", optimum_pictures.tight())
    yield Picture("theory-prediction.svg", prediction_pictures.prediction())


def builders_table(records: list[Record]) -> str:
    """Return mean and worst ratio to the optimum, builders by families."""
    header = ["cost / optimum, mean (worst)", *(record["data"] for record in records)]
    rows = [["*matrices*", *(f"{record['n_matrices']:,}" for record in records)]]
    for found in zip(*(record["trees"] for record in records), strict=True):
        cells = [f"{tree['mean']:.3f} ({tree['worst']:.2f})" for tree in found]
        rows.append([found[0]["tree"], *cells])
    return table(header, rows)


def bounds_table(records: list[Record]) -> str:
    """Return the optimum beside each lower bound; a bound that is tight is bold."""
    header = ["label matrix", "n", "m", "optimum", "LB₀", "LB₁", "LB₂", "`lower_bound`"]
    header.append("`pair_lower_bound`")
    rows = []
    for record in records:
        optimum = record["optimum"]
        cells = [f"{record['n_rows']}", f"{record['n_labels']}", f"{optimum}"]
        for name in ("simple", "paths", "mixed", "best", "pairs"):
            # Rounded down, as a lower bound must be.
            text = f"{math.floor(record[name] * 10 + 1e-6) / 10:.1f}".removesuffix(".0")
            cells.append(f"**{text}**" if abs(record[name] - optimum) < 1e-3 else text)
        rows.append([record["data"], *cells])
    return table(header, rows)


def cliques_table(record: Record) -> str:
    """Return how many graphs have a clique, and for how many the costs say so."""
    rows = [
        ["graphs of six vertices, up to isomorphism", f"{record['graphs']}"],
        ["with a clique of four", f"{record['with_clique']}"],
        [
            "cheapest tree with one grouped node ≤ threshold if and only if there is a clique",
            f"{record['agreeing']} of {record['graphs']}",
        ],
        [
            "the same cost by `trees.exact`, over all trees (at most 6 edges, 18 labels)",
            f"{record['exactly_as_grouped']} of {record['solved_exactly']}",
        ],
    ]
    return table(["checked by brute force", "graphs"], rows)
