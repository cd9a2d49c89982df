"""The tables and plots of the page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.stats import kendalltau

from benchmarks.markdown import table
from benchmarks.pages.cost_and_accuracy import pictures
from benchmarks.pages.cost_and_accuracy.builds import BUILDS, STAR
from benchmarks.pages.cost_and_accuracy.figures import (
    bound_of,
    by_name,
    front,
    gpu_commit,
    gpu_shapes,
    log_fit,
    mean_precision,
    of_kind,
    title_of,
)
from benchmarks.pages.places import Picture, Place, Record, Table, measured_on

#: Trees of the tables that compare bounds with measurements.
SHOWN = (STAR, "huffman", "cheapest", "2-means", "16-means", "auto")
REFERENCE = "auto"  # trained on all sets


def page(records: list[Record]) -> Iterator[Place]:
    """Yield the tables and plots of the parts that have records."""
    if costs := of_kind(records, "costs"):
        yield Table("open-costs", _with_source(costs_table(costs), costs))
        yield Picture("open-costs.png", pictures.gaps(costs))
    if gaps := of_kind(records, "gap"):
        yield Table("open-gap", _with_source(gap_table(gaps), gaps))
    if known := of_kind(records, "known"):
        yield Table("open-prediction", _with_source(prediction_table(known), known))
        yield Table("open-regret", _with_source(regret_table(known), known))
        yield Table("open-ranks", _with_source(ranks_table(known), known))
        yield Picture("open-errors.png", pictures.errors(known))
    if strengths := of_kind(records, "strengths"):
        yield Table("open-strengths", _with_source(strengths_table(strengths), strengths))
    if models := of_kind(records, "models"):
        yield from _model_places(models)


def _model_places(models: list[Record]) -> Iterator[Place]:
    yield Table("open-search", _with_source(search_table(models), models))
    yield Table("open-accuracy", _with_source(accuracy_table(models), models))
    yield Table("open-front", _with_source(front_table(models), models))
    yield Table("open-seconds", _with_source(seconds_table(models), models))
    yield Table("open-gpu", gpu_table())
    axes = {
        "cost_per_row": "training cost, pairs per row",
        "train_cpu_s": "training, CPU seconds",
        "model_mb": "size of the model, MB",
    }
    for name, (key, label) in zip(("cost", "time", "size"), axes.items(), strict=True):
        yield Picture(f"open-accuracy-{name}.png", pictures.accuracy_against(models, key, label))
    yield Picture("open-seconds.png", pictures.seconds(models))


def _with_source(text: str, records: list[Record]) -> str:
    commits = dict.fromkeys(str(record["machine"]["commit"]) for record in records)
    source = measured_on(records[0]).replace(next(iter(commits)), ", ".join(commits))
    return f"{text}\n\n{source}"


def strengths_table(records: list[Record]) -> str:
    """Return the sum of errors of labels for each value of C, with all trees in a cell."""
    trees = [tree["tree"] for tree in records[0]["trees"]]
    values = list(records[0]["trees"][0]["label_error"])
    rows = [
        [
            record["data"],
            *(
                " / ".join(f"{tree['label_error'][C]:.2f}" for tree in record["trees"])
                for C in values
            ),
        ]
        for record in records
    ]
    return table([" / ".join(trees), *(f"C = {float(C):g}" for C in values)], rows)


def _titles(records: list[Record]) -> list[str]:
    return [title_of(record) for record in records]


def _present(records: list[Record]) -> list[str]:
    """Return the trees that at least one data set has."""
    return [name for name in BUILDS if any(name in by_name(record) for record in records)]


def _factor(value: float) -> str:
    """Return a factor as text."""
    return f"{value:.2f}" if value < 10 else f"{value:,.0f}"


def costs_table(records: list[Record]) -> str:
    """Return costs per row and their ratio to the best bound, trees by data sets."""
    rows = [
        [f"*{title}*", *(f"{record[key]:.1f}" for record in records)]
        for title, key in (
            ("labels per row", "labels_per_row"),
            ("lower bound: one label of each row", "entropy_bound_per_row"),
            ("lower bound: two labels of each row", "pair_bound_per_row"),
        )
    ]
    names = (*BUILDS, "cheapest, 20 sweeps")
    rows += [[name, *(_cost_cell(record, name) for record in records)] for name in names]
    own = [_own_share(record) for record in records]
    rows.append(["*sizes of `cheapest, 2 sweeps`: bound / cost*", *own])
    return table(["cost per row (× best bound)", *_titles(records)], rows)


def _cost_cell(record: Record, name: str) -> str:
    tree = by_name(record).get(name)
    if tree is None:
        return "–"
    price = tree["cost_per_row"]
    return f"{price:,.1f} ({_factor(price / bound_of(record))})"


def _own_share(record: Record) -> str:
    tree = by_name(record)["cheapest, 2 sweeps"]
    return f"{tree['at_own_sizes_per_row'] / tree['cost_per_row']:.2f}"


def gap_table(records: list[Record]) -> str:
    """Return the cost of a good tree, and the bound after each step that loses."""
    steps = {
        "cost of `cheapest, 20 sweeps`": "cost_per_row",
        "bound by sizes, all labels, at its own divisions": "all_labels_per_row",
        "the same, pairs of labels": "pairs_per_row",
        "`pair_lower_bound`: pairs, any division": "certified_per_row",
        "`lower_bound`": "entropy_bound_per_row",
    }
    rows = []
    for title, key in steps.items():
        cells = [
            f"{record[key]:.1f} ({record['cost_per_row'] / record[key]:.2f})" for record in records
        ]
        rows.append([title, *cells])
    return table(["per row (cost / bound)", *_titles(records)], rows)


def prediction_table(records: list[Record]) -> str:
    """Return measured prediction costs beside the bounds of Theorems 6 and 7."""
    rows = []
    for record in records:
        for name in ("cheapest", "auto"):
            tree = by_name(record)[name]
            for tau in (0.5, 0.1):
                calls, seven = tree[f"calls@{tau}"], tree[f"theorem_7@{tau}"]
                six, exact = tree[f"theorem_6@{tau}"], tree[f"theorem_7_exact@{tau}"]
                rows.append(
                    [
                        title_of(record),
                        f"{name}, τ = {tau}",
                        f"{tree['training_cost']:.1f}",
                        f"{calls:.1f}",
                        f"{six:,.0f} ({_factor(six / calls)})",
                        f"{seven:,.0f} ({_factor(seven / calls)})",
                        f"{exact:,.0f}",
                        f"{tree['n_nodes']:,.0f}",
                    ]
                )
    header = ["data", "tree, threshold", "training cost C_P", "measured", "Theorem 6 (slack)"]
    header += ["Theorem 7 (slack)", "Theorem 7, no errors", "all nodes"]
    return table(header, rows, n_text=2)


def _relative(records: list[Record], name: str, value: Any) -> str:
    """Return the geometric mean over the sets, relative to the reference tree."""
    ratios = [
        value(by_name(record)[name]) / value(by_name(record)[REFERENCE])
        for record in records
        if name in by_name(record)
    ]
    return f"{np.exp(np.mean(np.log(ratios))):.2f}"


def regret_table(records: list[Record]) -> str:
    """Return how errors of nodes become errors of labels and regret, as means over the sets."""
    rows = []
    for name in _present(records):
        trees = [by_name(record)[name] for record in records if name in by_name(record)]
        slack = [tree["label_error_bound"] / tree["label_error"] for tree in trees]
        worst = [2 * tree["largest_error_bound"] / tree["regret@1"] for tree in trees]
        lost = [
            [100 * tree[f"regret@{k}"] / tree[f"optimum@{k}"] for tree in trees] for k in (1, 3, 5)
        ]
        rows.append(
            [
                f"{name} ({len(trees)})",
                _relative(records, name, lambda tree: tree["training_cost"]),
                _relative(records, name, lambda tree: tree["node_error"]),
                _relative(records, name, lambda tree: tree["label_error"]),
                f"{np.exp(np.mean(np.log(slack))):.1f}",
                *(_relative(records, name, lambda t, k=k: t[f"regret@{k}"]) for k in (1, 3, 5)),
                " / ".join(f"{np.mean(values):.1f}" for values in lost),
                f"{np.exp(np.mean(np.log(worst))):.0f}",
            ]
        )
    header = ["tree (data sets)", "cost", "Σ η·ε of nodes", "Σ error of labels"]
    header += ["Theorem 1 / error", "regret P@1", "P@3", "P@5", "lost P@1 / 3 / 5, %"]
    return table([*header, "bound / regret P@1"], rows)


def ranks_table(records: list[Record]) -> str:
    """Return the rank correlation of several figures with regret, over the trees of each set."""
    keys = {
        "training cost": "training_cost",
        "bound of Theorem 1": "label_error_bound",
        "Σ η·ε of nodes": "node_error",
        "Σ error of labels": "label_error",
    }
    rows = []
    for title, key in keys.items():
        found = []
        for record in records:
            regret = [tree["regret@5"] for tree in record["trees"]]
            found.append(kendalltau([tree[key] for tree in record["trees"]], regret)[0])
        rows.append([title, *(f"{tau:.2f}" for tau in found), f"{np.mean(found):.2f}"])
    return table(["Kendall's τ with regret P@5", *_titles(records), "mean"], rows)


def search_table(records: list[Record]) -> str:
    """Return classifiers evaluated for the 5 best labels, beside the training cost."""
    rows = []
    for name in SHOWN:
        cells = []
        for record in records:
            tree = by_name(record).get(name)
            cells.append("–" if tree is None else _search_cell(tree))
        rows.append([name, *cells])
    return table(["cost of unseen rows; exact; beam", *_titles(records)], rows)


def _search_cell(tree: dict[str, Any]) -> str:
    return (
        f"{tree['unseen_cost_per_row']:,.0f}; {tree['exact_calls']:,.0f}; {tree['beam_calls']:,.0f}"
    )


def accuracy_table(records: list[Record]) -> str:
    """Return mean precision and cost, trees by data sets; the best precision in bold."""
    best = [max(map(mean_precision, record["trees"])) for record in records]
    rows = []
    for name in BUILDS:
        cells = []
        for record, top in zip(records, best, strict=True):
            tree = by_name(record).get(name)
            if tree is None:
                cells.append("–")
                continue
            shown = f"{mean_precision(tree):.1f}"
            shown = f"**{shown}**" if mean_precision(tree) > top - 0.05 else shown
            cells.append(f"{shown} ({tree['cost_per_row']:,.0f}, {tree['train_cpu_s']:.1f} s)")
        rows.append([name, *cells])
    sizes = [f"{record['n_rows']:,} / {record['n_held_back']:,}" for record in records]
    rows.append(["*rows: trained on / evaluated on*", *sizes])
    return table(["mean of P@1, 3, 5 (cost, CPU time)", *_titles(records)], rows)


def front_table(records: list[Record]) -> str:
    """Return on how many data sets each tree is on the front, for each price."""
    prices = {"pairs": "cost_per_row", "CPU time": "train_cpu_s", "model size": "model_mb"}
    rows = []
    for name in _present(records):
        cells = [_on_front(records, name, key) for key in prices.values()]
        present = [record for record in records if name in by_name(record)]
        lost = [
            max(map(mean_precision, record["trees"])) - mean_precision(by_name(record)[name])
            for record in present
        ]
        rows.append([name, *cells, f"{np.mean(lost):.2f}", f"{max(lost):.2f}"])
    header = ["tree", *(f"on the front by {price}" for price in prices)]
    return table([*header, "points below the best, mean", "largest"], rows)


def _on_front(records: list[Record], name: str, key: str) -> str:
    n_found, n_present = 0, 0
    for record in records:
        trees = by_name(record)
        if name in trees:
            n_present += 1
            points = [(tree[key], mean_precision(tree)) for tree in trees.values()]
            n_found += (trees[name][key], mean_precision(trees[name])) in front(points)
    return f"{n_found} of {n_present}"


def seconds_table(records: list[Record]) -> str:
    """Return how well pairs and the trainer's estimate order and predict training times."""
    rows = []
    for record, title in zip(records, _titles(records), strict=True):
        times = [tree["train_cpu_s"] for tree in record["trees"]]
        cells = []
        for key in ("pairs", "work"):
            tau, r2, factor = log_fit([tree[key] for tree in record["trees"]], times)
            cells += [f"{tau:.2f}", f"{r2:.2f}", f"{factor:.1f}"]
        rows.append([title, f"{len(times)}", *cells])
    header = ["data", "trees", "pairs: τ", "R²", "largest factor"]
    return table([*header, "estimate: τ", "R²", "largest factor"], rows)


def gpu_table() -> str:
    """Return pairs and time of softmax trees on a GPU, with the estimate of `plan`."""
    rows = [
        [
            f"{shape['n_labels']:,}",
            f"{shape['n_head']}, {shape['group_size']}, {shape['middle_size'] or '–'}",
            f"{shape['pairs']:,}",
            f"{1e3 * shape['measured']:.1f}",
            f"{1e3 * shape['estimated']:.1f}",
            f"{1e6 * shape['measured'] / shape['pairs']:.1f}",
        ]
        for shape in gpu_shapes()
    ]
    header = ["classes", "head, group, middle", "pairs per row", "ns per row", "ns, estimated"]
    made = table([*header, "ps per pair"], rows, n_text=2)
    return f"{made}\n\nCommit {gpu_commit()}, NVIDIA H200."
