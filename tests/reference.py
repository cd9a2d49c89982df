"""The method, slowly and plainly: what the native code is judged by.

Trees are nested lists with label numbers at the leaves, label matrices are lists of sets.
"""

from __future__ import annotations

import functools
import itertools
import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

Nested = int | list  # type: ignore[type-arg]

# Trees and their cost ---------------------------------------------------------------------------


def labels_under(tree: Nested) -> set[int]:
    return {tree} if isinstance(tree, int) else set().union(*map(labels_under, tree))


def subtrees(tree: Nested) -> Iterator[Nested]:
    """Every node, as the subtree under it."""
    yield tree
    if isinstance(tree, list):
        for child in tree:
            yield from subtrees(child)


def contract(tree: Nested) -> Nested:
    """The tree without nodes of degree one."""
    if isinstance(tree, int):
        return tree
    return contract(tree[0]) if len(tree) == 1 else [contract(child) for child in tree]


def row_cost(tree: Nested, labels: set[int]) -> int:
    """Equation 3: one for the root, and one for every child of a positive node."""
    cost = 1
    for node in subtrees(tree):
        if isinstance(node, list) and labels_under(node) & labels:
            cost += len(node)
    return cost


def training_cost(tree: Nested, rows: Sequence[set[int]]) -> int:
    return sum(row_cost(tree, labels) for labels in rows)


def hamming_weight(node: Nested, rows: Sequence[set[int]]) -> int:
    return sum(1 for labels in rows if labels_under(node) & labels)


def leaf_cost(tree: Nested, label: int) -> int:
    """D_j: the degrees of the proper ancestors of the leaf of j, summed."""
    return sum(
        len(node)
        for node in subtrees(tree)
        if isinstance(node, list) and label in labels_under(node)
    )


def assign(
    parent: Sequence[int], label: Sequence[int], labels: Sequence[int]
) -> tuple[set[int], set[int]]:
    """Algorithm 1, line by line."""
    positive: set[int] = set()
    negative = {list(parent).index(-1)}
    for j in labels:
        v = list(label).index(j)
        while v != -1 and v not in positive:
            positive.add(v)
            negative.discard(v)
            for child in (u for u, p in enumerate(parent) if p == v):
                if child not in positive:
                    negative.add(child)
            v = parent[v]
    return positive, negative


def all_trees(labels: Sequence[int]) -> Iterator[Nested]:
    """Every tree over the labels without nodes of degree one, siblings in one order."""
    if len(labels) == 1:
        yield labels[0]
        return
    for parts in set_partitions(list(labels)):
        if len(parts) > 1:
            yield from _all_combinations(parts)


def _all_combinations(parts: list[list[int]]) -> Iterator[list[Nested]]:
    if not parts:
        yield []
        return
    for first in all_trees(parts[0]):
        for rest in _all_combinations(parts[1:]):
            yield [first, *rest]


def set_partitions(items: list[int]) -> Iterator[list[list[int]]]:
    if not items:
        yield []
        return
    for partition in set_partitions(items[1:]):
        yield [[items[0]], *partition]
        for i, part in enumerate(partition):
            yield [*partition[:i], [items[0], *part], *partition[i + 1 :]]


# Merging, collapse and bounds over all trees ----------------------------------------------------


def phi_merge(rows: Sequence[set[int]], n_labels: int) -> Nested:
    """φ merging with the paper's price list; the smallest and, among equals, oldest goes first."""
    per_bit = 3.0 / math.log2(3.0)

    def phi(x: float) -> float:
        return per_bit * x * math.log2(len(rows) / x) if x else 0.0

    # [age, rows, tree]; labels without rows are put together first, three to a node
    clusters: list[tuple[int, frozenset[int], Nested]] = [
        (j, frozenset(i for i, row in enumerate(rows) if j in row), j) for j in range(n_labels)
    ]
    age = n_labels

    def size(cluster: tuple[int, frozenset[int], Nested]) -> tuple[int, int]:
        return len(cluster[1]), cluster[0]

    while len(empty := sorted((c for c in clusters if not c[1]), key=size)[:3]) > 1:
        clusters = [c for c in clusters if c not in empty]
        clusters.append((age, frozenset(), [c[2] for c in empty]))
        age += 1
    while len(clusters) > 1:
        a = min(clusters, key=size)
        clusters.remove(a)
        next_smallest = min(clusters, key=size)

        def score(c: tuple[int, frozenset[int], Nested], a=a) -> tuple[float, int, int]:  # type: ignore[no-untyped-def]
            union = float(len(a[1] | c[1]))
            return union * 2.0 + phi(union) - phi(float(len(c[1]))), *size(c)

        c = min((c for c in clusters if c is next_smallest or a[1] & c[1]), key=score)
        clusters.remove(c)
        clusters.append((age, a[1] | c[1], [a[2], c[2]]))
        age += 1
    return clusters[0][2]


def collapsed_trees(tree: Nested) -> Iterator[Nested]:
    """Every tree that removing some inner nodes other than the root makes of a tree."""
    if isinstance(tree, int):
        yield tree
        return
    yield from (list(children) for children in _collapsed_children(tree))


def _collapsed_children(tree: list[Nested]) -> Iterator[list[Nested]]:
    if not tree:
        yield []
        return
    first, rest = tree[0], tree[1:]
    for later in _collapsed_children(rest):
        for kept in collapsed_trees(first):
            yield [kept, *later]
            if isinstance(kept, list):
                yield [*kept, *later]


def priced(tree: Nested, rows: Sequence[set[int]], per_row: float, per_pair: float) -> float:
    """What the nodes of a tree cost by a price list, the root's own classifier left out."""
    return sum(
        hamming_weight(node, rows) * (per_row + per_pair * len(node))
        for node in subtrees(tree)
        if isinstance(node, list)
    )


def cheapest_cost(rows: Sequence[set[int]], n_labels: int) -> int:
    """min over all trees of c(T, Y)."""
    return min(training_cost(tree, rows) for tree in all_trees(list(range(n_labels))))


# Builders over counts, and greedy merging -------------------------------------------------------


def lowest_cost(weight: Callable[[frozenset[int]], int], labels: frozenset[int]) -> int:
    """min over trees of the sum of weight times degree, by recursion on the parts of the root."""

    @functools.cache
    def best(part: frozenset[int]) -> int:
        if len(part) == 1:
            return 0
        return min(
            len(parts) * weight(part) + sum(best(frozenset(p)) for p in parts)
            for parts in set_partitions(sorted(part))
            if len(parts) > 1
        )

    return best(labels)


def lowest_multiclass_cost(counts: Sequence[int]) -> int:
    """Σ n_j D_j of the best tree if no row has two labels."""
    return lowest_cost(lambda part: sum(counts[j] for j in part), frozenset(range(len(counts))))


def lowest_nested_cost(counts: Sequence[int]) -> int:
    """The same if every label's rows are within those of all more frequent labels."""
    return lowest_cost(lambda part: max(counts[j] for j in part), frozenset(range(len(counts))))


def huffman_cost(counts: Sequence[int], arity: int, short: str) -> int:
    """Σ n_j D_j if `arity` lightest nodes are merged at a time, but for the first or last merge."""
    positive = [count for count in counts if count]
    roots = sorted(positive + [0] * (len(positive) < len(counts)))  # labels without rows are one
    excess = (len(roots) - 1) % (arity - 1)
    size = excess + 1 if excess and short == "first" else arity
    cost = 0
    while len(roots) > 1:
        merged = roots[:size]
        cost += len(merged) * sum(merged)
        roots = sorted([*roots[size:], sum(merged)])
        size = arity
    return cost


def entropy_bound(counts: Sequence[int]) -> float:
    """n'·A₃·H(p), which Σ n_j D_j never goes below."""
    total = sum(counts)
    return sum(3 * count * math.log(total / count, 3) for count in counts if count)


def shannon_depth(count: int, total: int) -> int:
    depth = 0
    while count * 3**depth < total:
        depth += 1
    return depth


def greedy_merge(rows: Sequence[set[int]], n_labels: int, choose: str) -> Nested:
    """Merge the best two clusters until one is left; the pair with the lower numbers among ties."""
    clusters: dict[int, tuple[set[int], Nested]] = {
        j: ({i for i, row in enumerate(rows) if j in row}, j) for j in range(n_labels)
    }

    def key(pair: tuple[int, int]) -> tuple[object, ...]:
        a, b = (clusters[number][0] for number in pair)
        if choose == "smallest-input":
            return tuple(sorted((len(clusters[number][0]), number) for number in pair))
        match, output = len(a & b), len(a | b)
        return ((output, -match) if choose == "smallest-output" else (-match, output)), pair

    for number in range(n_labels, 2 * n_labels - 1):
        a, b = min(itertools.combinations(clusters, 2), key=key)
        (rows_a, tree_a), (rows_b, tree_b) = clusters.pop(a), clusters.pop(b)
        clusters[number] = (rows_a | rows_b, [tree_a, tree_b])
    return next(iter(clusters.values()))[1]


# XMC text ---------------------------------------------------------------------------------------

XmcRow = tuple[list[int], dict[int, np.float32]]  # labels; features with their values


def parse_xmc(text: bytes) -> tuple[tuple[int, int], list[XmcRow]]:
    """(features, labels) and the rows of a file with a header; ValueError if it is not one."""
    lines = text.removesuffix(b"\n").split(b"\n")
    n_rows, n_features, n_labels = xmc_header(xmc_line(lines[0]))
    body = [xmc_line(line) for line in lines[1:]]
    if len(body) < n_rows or any(line.strip(" \t") for line in body[n_rows:]):
        raise ValueError("more or fewer rows than the header says")
    return (n_features, n_labels), [xmc_row(line, n_features, n_labels) for line in body[:n_rows]]


def xmc_line(line: bytes) -> str:
    # Every byte becomes one character, so that bytes beyond ASCII match no pattern below.
    return line.removesuffix(b"\r").decode("latin-1")


def xmc_header(line: str) -> tuple[int, int, int]:
    if not re.fullmatch(r"[ \t]*[0-9]+[ \t]+[0-9]+[ \t]+[0-9]+[ \t]*", line):
        raise ValueError("header")
    n_rows, n_features, n_labels = (int(size) for size in re.split(r"[ \t]+", line.strip(" \t")))
    if n_rows >= 2**63 - 1 or max(n_features, n_labels) >= 2**31:
        raise ValueError("too large")
    return n_rows, n_features, n_labels


def xmc_row(line: str, n_features: int, n_labels: int) -> XmcRow:
    labels: set[int] = set()
    features: dict[int, np.float32] = {}
    tokens = [token for token in re.split(r"[ \t]+", line) if token]
    if tokens and line[0] not in " \t" and ":" not in tokens[0]:
        labels = {xmc_index(number, n_labels) for number in tokens.pop(0).split(",")}
    for token in tokens:
        number, colon, value = token.partition(":")
        if not colon:
            raise ValueError("no colon")
        feature = xmc_index(number, n_features)
        with np.errstate(over="ignore"):
            features[feature] = features.get(feature, np.float32(0)) + xmc_value(value)
        if not np.isfinite(features[feature]):
            raise ValueError("sum beyond float32")
    return sorted(labels), dict(sorted(features.items()))


def xmc_index(number: str, size: int) -> int:
    if not re.fullmatch(r"[0-9]+", number) or int(number) >= size:
        raise ValueError("index")
    return int(number)


def xmc_value(value: str) -> np.float32:
    if not re.fullmatch(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?", value):
        raise ValueError("value")
    with np.errstate(over="ignore"):
        number = np.float32(float(value))
    if not np.isfinite(number):
        raise ValueError("beyond float32")
    return number


# Metrics ----------------------------------------------------------------------------------------
# Truth is a list of label sets; predictions are lists of labels, best first, or of label -> score.


def best_labels(scores: Mapping[int, float], k: int) -> list[int]:
    """The k labels of highest score, of equals the lower first."""
    return sorted(scores, key=lambda label: (-scores[label], label))[:k]


def precision_at_k(truth: Sequence[set[int]], ranked: Sequence[Sequence[int]], k: int) -> float:
    right = [len(true & set(best[:k])) / k for true, best in zip(truth, ranked, strict=True)]
    return sum(right) / len(right)


def recall_at_k(truth: Sequence[set[int]], ranked: Sequence[Sequence[int]], k: int) -> float:
    found = [
        len(true & set(best[:k])) / len(true) if true else 0.0
        for true, best in zip(truth, ranked, strict=True)
    ]
    return sum(found) / len(found)


def _dcg(gains: Sequence[float]) -> float:
    return sum(gain / math.log2(place + 1) for place, gain in enumerate(gains, start=1))


def psndcg_at_k(
    truth: Sequence[set[int]],
    ranked: Sequence[Sequence[int]],
    k: int,
    propensity: Sequence[float] | None = None,
) -> float:
    """nDCG@k where propensity is None: the best ranking then has nDCG 1 in every labelled row."""
    gained = best = 0.0
    for true, labels in zip(truth, ranked, strict=True):
        if not true:
            continue
        weight = {j: 1.0 if propensity is None else 1 / propensity[j] for j in true}
        ideal = _dcg([1.0] * min(k, len(true)))
        gained += _dcg([weight.get(j, 0.0) for j in labels[:k]]) / ideal
        best += _dcg(sorted(weight.values(), reverse=True)[:k]) / ideal
    if propensity is None:
        return gained / len(truth)
    return gained / best if best else 0.0


def psp_at_k(
    truth: Sequence[set[int]], ranked: Sequence[Sequence[int]], k: int, propensity: Sequence[float]
) -> float:
    gained = best = 0.0
    for true, labels in zip(truth, ranked, strict=True):
        gained += sum(1 / propensity[j] for j in labels[:k] if j in true)
        best += sum(sorted((1 / propensity[j] for j in true), reverse=True)[:k])
    return gained / best if best else 0.0


def coverage_at_k(
    truth: Sequence[set[int]], ranked: Sequence[Sequence[int]], k: int, n_labels: int
) -> float:
    right = [true & set(best[:k]) for true, best in zip(truth, ranked, strict=True)]
    return len(set().union(*right)) / n_labels


def log_loss(
    truth: Sequence[set[int]], scores: Sequence[Mapping[int, float]], n_labels: int, eps: float
) -> float:
    total = 0.0
    for true, row in zip(truth, scores, strict=True):
        for j in range(n_labels):
            p = min(max(row.get(j, 0.0), eps), 1 - eps)
            total -= math.log(p) if j in true else math.log1p(-p)
    return total / (len(truth) * n_labels)


def ece_at_k(
    truth: Sequence[set[int]], scores: Sequence[Mapping[int, float]], k: int, n_bins: int
) -> float:
    bins: list[list[tuple[float, bool]]] = [[] for _ in range(n_bins)]
    for true, row in zip(truth, scores, strict=True):
        for j in best_labels(row, k):
            bins[min(int(row[j] * n_bins), n_bins - 1)].append((row[j], j in true))
    total = sum(map(len, bins))
    error = 0.0
    for entries in filter(None, bins):
        confidence = sum(p for p, _ in entries) / len(entries)
        accuracy = sum(hit for _, hit in entries) / len(entries)
        error += len(entries) / total * abs(accuracy - confidence)
    return error


# Bounds -----------------------------------------------------------------------------------------


def nested_optimum(counts: Sequence[int], n_rows: int) -> int:
    """Theorem 5 by its recurrence in O(m²), for counts in ascending order."""
    if len(counts) == 1:
        return n_rows
    best = [0]
    for j in range(1, len(counts) + 1):
        first = [j * counts[j - 1]]
        later = [best[i] + (j - i + 1) * counts[j - 1] for i in range(1, j)]
        best.append(min(first + later))
    return n_rows + best[-1]


def node_probability(
    node: Nested, sets: Sequence[set[int]], probabilities: Sequence[float]
) -> float:
    """P(z_v = 1) under a distribution over label sets."""
    under = labels_under(node)
    return sum(p for labels, p in zip(sets, probabilities, strict=True) if labels & under)


def calls_of_query(parent: Sequence[int], conditional: Sequence[float], threshold: float) -> int:
    """Algorithm 2, line by line: how often a node classifier is called."""
    children = [[u for u, p in enumerate(parent) if p == v] for v in range(len(parent))]
    stack = [(0, conditional[0])]
    calls = 1
    while stack:
        v, eta = stack.pop()
        if eta >= threshold:
            for u in children[v]:
                stack.append((u, eta * conditional[u]))
                calls += 1
    return calls


def normalized_query(
    parent: Sequence[int], conditional: Sequence[float], threshold: float
) -> tuple[dict[int, float], int]:
    """Algorithm 2 with the two steps before Theorem 6 after its line 10.

    Returns the estimates of the nodes that were asked, and how often a classifier was called.
    """
    children = [[u for u, p in enumerate(parent) if p == v] for v in range(len(parent))]
    eta = {0: conditional[0]}
    stack = [0]
    while stack:
        v = stack.pop()
        if eta[v] >= threshold:
            for u in children[v]:
                eta[u] = min(eta[v] * conditional[u], eta[v])
            total = sum(eta[u] for u in children[v])
            for u in children[v]:
                if eta[v] > total:
                    eta[u] = eta[u] * eta[v] / total if total > 0 else eta[v] / len(children[v])
                stack.append(u)
    return eta, len(eta)


def normalize(parent: Sequence[int], estimates: Sequence[float]) -> list[float]:
    """The two steps before Theorem 6, node by node; 0/0 is shared evenly."""
    eta = list(estimates)
    for v in range(len(parent)):
        children = [u for u, p in enumerate(parent) if p == v]
        for u in children:
            eta[u] = min(eta[u], eta[v])
        total = sum(eta[u] for u in children)
        if children and eta[v] > total:
            for u in children:
                eta[u] = eta[u] * eta[v] / total if total > 0 else eta[v] / len(children)
    return eta


def largest_clique(n_vertices: int, edges: set[tuple[int, int]]) -> int:
    """Bron and Kerbosch with pivots."""
    near: list[set[int]] = [set() for _ in range(n_vertices)]
    for u, v in edges:
        if u != v:
            near[u].add(v)
            near[v].add(u)

    def grow(size: int, open_: set[int], done: set[int]) -> int:
        if not open_:
            return size
        pivot = max(open_ | done, key=lambda v: len(near[v] & open_))
        best = size
        for v in open_ - near[pivot]:
            best = max(best, grow(size + 1, open_ & near[v], done & near[v]))
            open_, done = open_ - {v}, done | {v}
        return best

    return grow(0, set(range(n_vertices)), set())


# Label vectors and merging by price and likeness -------------------------------------------------


def telling(X: Sequence[Sequence[float]], rows: Sequence[set[int]]) -> list[float]:
    """Labels that two rows with a feature share on average; a label of n rows counts 1 / sqrt(n).

    Ten pairs of rows that are like the mean over all features are added.
    """
    sizes = Counter(label for labels in rows for label in labels)
    pairs, shared = [], []
    for column in zip(*X, strict=True):
        having = [labels for x, labels in zip(column, rows, strict=True) if x != 0]
        both = list(itertools.permutations(having, 2))
        pairs.append(len(both))
        shared.append(sum(sizes[label] ** -0.5 for a, b in both for label in a & b))
    known = [s / n for s, n in zip(shared, pairs, strict=True) if n]
    mean = sum(known) / len(known) if known else 0.0
    return [(s + 10 * mean) / (n + 10) for s, n in zip(shared, pairs, strict=True)]


def scaled_row(x: Sequence[float], power: float, weights: Sequence[float]) -> list[float]:
    """Values raised to a power, times the weights, in a row of length 1."""
    raised = [
        math.copysign(abs(v) ** power, v) * w if v else 0.0 for v, w in zip(x, weights, strict=True)
    ]
    length = math.sqrt(sum(v * v for v in raised))
    return [v / length if length else 0.0 for v in raised]


def label_vectors(
    X: Sequence[Sequence[float]], rows: Sequence[set[int]], n_labels: int
) -> list[list[float]]:
    """The sum of each label's rows, scaled to length 1; zeros where there is nothing to scale."""
    vectors = []
    for j in range(n_labels):
        of_label = [x for x, labels in zip(X, rows, strict=True) if j in labels]
        total = [sum(column) for column in zip(*of_label, strict=True)] or [0.0] * len(X[0])
        length = math.sqrt(sum(value * value for value in total))
        vectors.append([value / length if length else 0.0 for value in total])
    return vectors


def blend_merge(
    X: Sequence[Sequence[float]], rows: Sequence[set[int]], n_labels: int, likeness: float
) -> Nested:
    """The smallest cluster joins the one of least price^(1 - likeness) · distance^likeness.

    For labels that all have rows, few enough to be one part, and with every cluster a candidate.
    """
    per_bit = 3.0 / math.log2(3.0)

    def phi(x: float) -> float:
        return per_bit * x * math.log2(len(rows) / x)

    def cosine(a: list[float], b: list[float]) -> float:
        lengths = math.sqrt(sum(x * x for x in a)) * math.sqrt(sum(x * x for x in b))
        return sum(x * y for x, y in zip(a, b, strict=True)) / lengths

    vectors = label_vectors(X, rows, n_labels)
    # (rows, age, vector, tree); age breaks ties as in φ merging
    clusters = [
        ({i for i, row in enumerate(rows) if j in row}, j, vectors[j], j) for j in range(n_labels)
    ]
    age = n_labels
    while len(clusters) > 1:
        clusters.sort(key=lambda cluster: (len(cluster[0]), cluster[1]))
        a = clusters.pop(0)
        scores = []
        for c in clusters:
            union = len(a[0] | c[0])
            price = 2.0 * union + phi(union) - phi(len(c[0]))
            distance = 1.01 - cosine(a[2], c[2])
            scores.append((1.0 - likeness) * math.log(price) + likeness * math.log(distance))
        c = clusters.pop(scores.index(min(scores)))
        both = [x + y for x, y in zip(a[2], c[2], strict=True)]
        clusters.append((a[0] | c[0], age, both, [a[3], c[3]]))
        age += 1
    return clusters[0][3]


# Resources --------------------------------------------------------------------------------------


def n_weights(tree: Nested, rows: Sequence[set[int]], features: Sequence[set[int]]) -> int:
    """One weight a node for every feature of a row that trains it."""

    def features_of_rows_of(node: Nested) -> set[int]:
        pairs = zip(rows, features, strict=True)
        return set().union(*(own for labels, own in pairs if labels_under(node) & labels))

    root = len(set().union(*features))
    inner = [node for node in subtrees(tree) if isinstance(node, list)]
    return root + sum(len(node) * len(features_of_rows_of(node)) for node in inner)


# Node classifiers -------------------------------------------------------------------------------


def fit_node(
    X: np.ndarray,
    y: np.ndarray,
    c: np.ndarray,
    loss: str,
    bias: float,
    start: np.ndarray | float = 0.0,
) -> tuple[np.ndarray, float]:
    """The weights, and bias, of the least |w - start|²/2 + Σ c_i loss(y_i (w·x_i + bias w_b))."""
    from scipy.optimize import minimize

    wide = np.hstack([X, np.full((len(X), 1), bias)]).astype(np.float64)

    def objective(w: np.ndarray) -> tuple[float, np.ndarray]:
        margin = y * (wide @ w)
        if loss == "squared_hinge":
            miss = np.maximum(0.0, 1.0 - margin)
            value, slope = c @ miss**2, -2.0 * c * miss
        else:
            value = c @ np.logaddexp(0.0, -margin)
            slope = -c / (1.0 + np.exp(margin))
        away = w - start
        return away @ away / 2 + value, away + wide.T @ (slope * y)

    answer = minimize(
        objective,
        np.zeros(wide.shape[1]),
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": 10000, "gtol": 1e-10, "ftol": 1e-15},
    )
    return answer.x[:-1], float(answer.x[-1] * bias)


def link(loss: str, score: np.ndarray) -> np.ndarray:
    """The probability that a score stands for."""
    slope, intercept = {"logistic": (1.0, 0.0), "squared_hinge": (4.0, 1.5)}[loss]
    return 1.0 / (1.0 + np.exp(-(slope * score + intercept)))


def normalized_products(parent, estimates):
    """Probabilities of nodes (rows of estimates by node) with siblings made to cover their parent.

    Estimates of siblings that sum to less than 1 are divided by their sum, since one of them is
    positive where the parent is; where all are 0 they share evenly. The root keeps its estimate.
    """
    estimates = np.array(estimates, float)
    for v in range(len(parent)):
        children = [c for c in range(len(parent)) if parent[c] == v]
        if not children:
            continue
        total = estimates[:, children].sum(axis=1)
        for c in children:
            even = np.full(len(total), 1 / len(children))
            share = np.divide(estimates[:, c], total, out=even, where=total > 0)
            estimates[:, c] = np.where(total >= 1, estimates[:, c], share) * estimates[:, v]
    return estimates


# Explanations -----------------------------------------------------------------------------------


def path_to(parent: Sequence[int], node: int) -> list[int]:
    """The nodes from the root to a node."""
    return [node] if parent[node] < 0 else [*path_to(parent, parent[node]), node]


def pushes(
    weights: Mapping[int, float], row: Mapping[int, float], slope: float
) -> dict[int, float]:
    """What each feature of a row adds to the log-odds of a node; those without weight left out."""
    return {j: slope * weights[j] * value for j, value in row.items() if j in weights}


# The model file ---------------------------------------------------------------------------------


def checksum(data: bytes) -> int:
    """The checksum of docs/model-file.md, one word after the other."""
    n_bits, block_size = 64, 2**18

    def step(state: int, word: int) -> int:
        product = (state ^ word) * 0x9E3779B97F4A7C15 % 2**n_bits
        return (product << 31 | product >> (n_bits - 31)) % 2**n_bits

    def block_value(block: bytes) -> int:
        lanes = list(range(8))
        padded = block + bytes(-len(block) % 64)
        for place in range(0, len(padded), 8):
            lane = place // 8 % 8
            word = int.from_bytes(padded[place : place + 8], "little")
            lanes[lane] = step(lanes[lane], word)
        value = len(block)
        for lane_value in lanes:
            value = step(value, lane_value)
        return value

    total = len(data)
    for first in range(0, len(data), block_size):
        total = step(total, block_value(data[first : first + block_size]))
    return step(step(total, 0), 0)


# Calibration and thresholds ---------------------------------------------------------------------


def log_loss_of_link(
    slope: float, intercept: float, scores: Sequence[float], positive: Sequence[bool]
) -> float:
    """The log-loss of the pairs when a score s stands for 1 / (1 + exp(-(slope s + intercept)))."""
    loss = 0.0
    for score, is_positive in zip(scores, positive, strict=True):
        odds = slope * score + intercept
        loss += math.log1p(math.exp(-odds if is_positive else odds))
    return loss


def pool_adjacent_violators(values: Sequence[float], weights: Sequence[float]) -> list[float]:
    """The ascending numbers with the least weighted squared distance to the values."""
    blocks: list[tuple[float, float, int]] = []  # mean, weight, length
    for value, weight in zip(values, weights, strict=True):
        blocks.append((value, weight, 1))
        while len(blocks) > 1 and blocks[-2][0] >= blocks[-1][0]:
            (a, m, k), (b, n, j) = blocks[-2:]
            blocks[-2:] = [((a * m + b * n) / (m + n), m + n, k + j)]
    return [mean for mean, _, length in blocks for _ in range(length)]


def f1(truth: set[int], predicted: set[int]) -> float:
    """F1 of two sets; 0 where both are empty."""
    return 2 * len(truth & predicted) / max(len(truth) + len(predicted), 1)


def expected_f1(probabilities: Sequence[float], size: int) -> float:
    """Expected F1 of predicting the first labels if labels are independent, over all sets."""
    expected = 0.0
    for present in itertools.product([False, True], repeat=len(probabilities)):
        chance = math.prod(
            p if there else 1 - p for p, there in zip(probabilities, present, strict=True)
        )
        truth = {j for j, there in enumerate(present) if there}
        expected += chance * f1(truth, set(range(size)))
    return expected


def f1_of_threshold(
    probabilities: Sequence[float], is_true: Sequence[bool], n_true: int, threshold: float
) -> float:
    """F1 of the pairs of one label, or of all together; n_true counts pairs that are not given."""
    taken = [right for p, right in zip(probabilities, is_true, strict=True) if p >= threshold]
    return 2 * sum(taken) / max(len(taken) + n_true, 1)


# Learning row by row ------------------------------------------------------------------------------

OnlineRow = tuple[Mapping[int, float], set[int]]  # features by number, and labels


def online_examples(
    tree: Nested, rows: Sequence[OnlineRow]
) -> dict[frozenset[int], list[tuple[dict[int, float], bool]]]:
    """Algorithm 1: the rows that teach each node, in their order, and whether they say yes.

    Nodes go by the set of their labels. The bias is feature -1.
    """
    examples: dict[frozenset[int], list[tuple[dict[int, float], bool]]] = {
        frozenset(labels_under(node)): [] for node in subtrees(tree)
    }
    for features, labels in rows:
        x = {-1: 1.0, **features}
        examples[frozenset(labels_under(tree))].append((x, bool(labels)))
        for node in subtrees(tree):
            if isinstance(node, list) and labels_under(node) & labels:
                for child in node:
                    below = labels_under(child)
                    examples[frozenset(below)].append((x, bool(below & labels)))
    return examples


def adagrad(
    examples: Sequence[tuple[Mapping[int, float], bool]],
    rate: float,
    smoothing: float,
    l1: float = 0.0,
    l2: float = 0.0,
) -> dict[int, float]:
    """Weights after one pass of AdaGrad over the logistic loss, from zero."""
    weights: dict[int, float] = {}
    squares: dict[int, float] = {}
    for x, is_positive in examples:
        score = sum(weights.get(f, 0.0) * value for f, value in x.items())
        error = 1 / (1 + math.exp(-score)) - is_positive
        for f, value in x.items():
            gradient = error * value + l2 * weights.get(f, 0.0)
            squares[f] = squares.get(f, 0.0) + gradient**2
            step = rate / math.sqrt(squares[f] + smoothing)
            moved = weights.get(f, 0.0) - step * gradient
            weights[f] = math.copysign(max(abs(moved) - step * l1, 0.0), moved)
    return weights


def ftrl(
    examples: Sequence[tuple[Mapping[int, float], bool]],
    alpha: float,
    beta: float,
    l1: float = 0.0,
    l2: float = 0.0,
) -> dict[int, float]:
    """Weights after one pass of FTRL-proximal (McMahan et al. 2013, algorithm 1)."""
    z: dict[int, float] = {}
    n: dict[int, float] = {}

    def weight(f: int) -> float:
        if abs(z.get(f, 0.0)) <= l1:
            return 0.0
        sign = math.copysign(1.0, z[f])
        return -(z[f] - sign * l1) / ((beta + math.sqrt(n[f])) / alpha + l2)

    for x, is_positive in examples:
        weights = {f: weight(f) for f in x}
        score = sum(weights[f] * value for f, value in x.items())
        error = 1 / (1 + math.exp(-score)) - is_positive
        for f, value in x.items():
            gradient = error * value
            before = n.get(f, 0.0)
            n[f] = before + gradient**2
            sigma = (math.sqrt(n[f]) - math.sqrt(before)) / alpha
            z[f] = z.get(f, 0.0) + gradient - sigma * weights[f]
    return {f: weight(f) for f in z}
