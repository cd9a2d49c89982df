"""The native online model: learning, adding and removing labels, rebuilding, and its arrays."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labeltree import LabelTree, _core
from tests.reference import online as reference
from tests.reference.cost import training_cost
from tests.reference.trees import labels_under

N_FEATURES = 6
NO_WEIGHT = np.empty(0, np.float32)


def native_settings(
    optimizer: str = "adagrad",
    l1: float = 0.0,
    l2: float = 0.0,
    insert: str = "cost_and_score",
    max_degree: int = 3,
) -> Any:
    return _core.OnlineSettings(
        optimizer=_core.Optimizer[optimizer],
        learning_rate=0.5,
        smoothing=0.1,
        l1=l1,
        l2=l2,
        intercept_scaling=1.0,
        min_gradient=0.0,
        insert=_core.Insert[insert],
        max_degree=max_degree,
    )


def arrays(rows: list[reference.OnlineRow]) -> tuple[Any, ...]:
    """Features and labels as arguments of the native methods."""
    features = [sorted(x.items()) for x, _ in rows]
    labels = [sorted(y) for _, y in rows]
    return (
        np.cumsum([0, *map(len, features)], dtype=np.int64),
        np.array([f for row in features for f, _ in row], np.int32),
        np.array([value for row in features for _, value in row], np.float32),
        np.cumsum([0, *map(len, labels)], dtype=np.int64),
        np.array([j for row in labels for j in row], np.int32),
    )


def learn(model: Any, rows: list[reference.OnlineRow], n_threads: int = 1) -> Any:
    model.learn(*arrays(rows), NO_WEIGHT, n_threads)
    return model


def new_model(tree: LabelTree | None = None, **options: Any) -> Any:
    native = None if tree is None else tree._native
    return _core.OnlineModel(native, N_FEATURES, native_settings(**options))


def tree_of(model: Any) -> LabelTree:
    return LabelTree.from_parents(*model.nodes())


def all_weights(model: Any) -> list[np.ndarray]:
    n_nodes = len(model.nodes()[0])
    return list(model.weights(0, n_nodes, 0.0)[:-1])


def assert_same(one: Any, other: Any) -> None:
    for a, b in zip(one.nodes(), other.nodes(), strict=True):
        assert np.array_equal(a, b)
    for a, b in zip(all_weights(one), all_weights(other), strict=True):
        assert np.array_equal(a, b)


def in_order_of_arrival(rows: list[reference.OnlineRow]) -> list[reference.OnlineRow]:
    """The same rows with labels numbered in order of occurrence."""
    number: dict[int, int] = {}
    return [(x, {number.setdefault(j, len(number)) for j in sorted(y)}) for x, y in rows]


features = st.dictionaries(st.integers(0, N_FEATURES - 1), st.sampled_from([-1.0, 0.25, 0.5, 2.0]))
streams = st.lists(
    st.tuples(features, st.sets(st.integers(0, 7), max_size=3)), min_size=1, max_size=12
).map(in_order_of_arrival)
optimizers = st.sampled_from([("adagrad", 0.0, 0.0), ("adagrad", 0.01, 0.1), ("ftrl", 0.01, 0.1)])


@settings(max_examples=60, deadline=None)
@given(streams, optimizers, st.sampled_from(["cost_and_score", "score", "cost"]), st.integers(2, 4))
def test_a_grown_tree_equals_one_known_in_advance(rows, optimizer, insert, max_degree) -> None:
    options = dict(zip(("optimizer", "l1", "l2"), optimizer, strict=True))
    grown = learn(new_model(insert=insert, max_degree=max_degree, **options), rows)
    if grown.n_labels > 0:
        assert_same(grown, learn(new_model(tree_of(grown), **options), rows))


@settings(max_examples=40, deadline=None)
@given(streams, optimizers)
def test_weights_equal_the_reference(rows, optimizer) -> None:
    name, l1, l2 = optimizer
    model = learn(new_model(optimizer=name, l1=l1, l2=l2), rows)
    if model.n_labels == 0:
        return
    tree = tree_of(model)
    method = reference.adagrad if name == "adagrad" else reference.ftrl
    examples = reference.online_examples(tree.to_nested(), rows)
    _, indptr, found, values, bias = all_weights(model)
    for v in range(tree.n_nodes):
        below = labels_under(nested_of(tree, v))
        wanted = method(examples[frozenset(below)], 0.5, 0.1, l1, l2)
        span = slice(indptr[v], indptr[v + 1])
        got = dict(zip(found[span].tolist(), values[span].tolist(), strict=True))
        assert bias[v] == pytest.approx(wanted.pop(-1, 0.0), abs=1e-4)
        for feature in wanted.keys() | got.keys():
            assert got.get(feature, 0.0) == pytest.approx(wanted.get(feature, 0.0), abs=1e-4)


def nested_of(tree: LabelTree, v: int) -> Any:
    if tree.label[v] >= 0:
        return int(tree.label[v])
    return [nested_of(tree, int(c)) for c in tree.children(v)]


@settings(max_examples=40, deadline=None)
@given(streams, st.integers(0, 12))
def test_rows_in_two_calls_equal_rows_in_one(rows, cut) -> None:
    whole = learn(new_model(), rows)
    assert_same(whole, learn(learn(new_model(), rows[:cut]), rows[cut:]))


@settings(max_examples=40, deadline=None)
@given(streams)
def test_the_cost_equals_that_of_algorithm_1(rows) -> None:
    model = learn(new_model(), rows)
    if model.n_labels > 0:
        again = learn(new_model(tree_of(model)), rows)
        nested = tree_of(model).to_nested()
        cost = training_cost(nested, [labels for _, labels in rows])
        assert again.counts == (len(rows), sum(not y for _, y in rows), cost)


@settings(max_examples=40, deadline=None)
@given(streams)
def test_predict_then_fit_predicts_before_each_row(rows) -> None:
    labels, probabilities = new_model().predict_then_fit(*arrays(rows), 3)
    one_by_one = new_model()
    for i, row in enumerate(rows):
        _, indices, values, *_ = arrays([row])
        found = one_by_one.best(indices, values, 3)
        assert np.array_equal(found[0], labels[3 * i : 3 * i + 3])
        assert np.array_equal(found[1], probabilities[3 * i : 3 * i + 3])
        learn(one_by_one, [row])


def many_rows(n: int = 2000) -> list[reference.OnlineRow]:
    random = np.random.default_rng(0)
    return in_order_of_arrival(
        [
            (
                dict.fromkeys(random.choice(N_FEATURES, 3, replace=False).tolist(), 0.5),
                set(random.choice(40, 2, replace=False).tolist()),
            )
            for _ in range(n)
        ]
    )


def test_the_model_is_the_same_for_any_number_of_threads() -> None:
    rows = many_rows()
    # Twelve children per node make two blocks of lanes, so that threads share parents.
    one = learn(new_model(max_degree=12), rows, n_threads=1)
    assert_same(one, learn(new_model(max_degree=12), rows, n_threads=3))


WITHOUT_THREADS = """
import os, resource, threading
from tests.online.test_native_model import assert_same, learn, many_rows, new_model

rows = many_rows(600)
expected = learn(new_model(max_degree=12), rows)
os.setuid(os.getuid() or 65534)  # the limit does not apply to root
resource.setrlimit(resource.RLIMIT_NPROC, (1, 1))
try:
    threading.Thread(target=print).start()
except RuntimeError:
    model = learn(new_model(max_degree=12), rows[:300], n_threads=4)
    assert_same(learn(model, rows[300:], n_threads=4), expected)
    print("learned alone")
"""


def test_learning_continues_without_threads_if_none_can_start() -> None:
    run = [sys.executable, "-c", WITHOUT_THREADS]
    assert subprocess.check_output(run, text=True) == "learned alone\n"


def restored(model: Any) -> Any:
    return _core.OnlineModel.restore(*model.arrays(), model.counts, N_FEATURES, native_settings())


def test_a_restored_model_continues_learning() -> None:
    rows = many_rows(100)
    model = learn(new_model(), rows)
    assert_same(learn(restored(model), rows[:20]), learn(model, rows[:20]))


# Two leaves, at each of which up to 64 rows wait.
@pytest.mark.parametrize("n_rows", [126, 128, 130, 300])
def test_a_leaf_with_many_rows_becomes_the_parent_it_would_have_been(n_rows) -> None:
    random = np.random.default_rng(0)
    rows: list[reference.OnlineRow] = [
        ({f: float(random.normal()) for f in range(i % N_FEATURES)}, {i % 2}) for i in range(n_rows)
    ]
    rows += [({0: 1.0}, {2}), ({1: 1.0}, {0}), ({2: 1.0}, {3})]
    grown = learn(new_model(max_degree=2), rows)
    assert_same(grown, learn(new_model(tree_of(grown)), rows))


def test_the_best_labels_equal_sorting_all_paths() -> None:
    model = learn(new_model(), many_rows(200))
    indices, values = np.array([1, 3], np.int32), np.array([0.5, 0.5], np.float32)
    tree = tree_of(model)
    _, indptr, features, weights, bias = all_weights(model)
    share = np.ones(tree.n_nodes)
    for v in range(1, tree.n_nodes):
        span = slice(indptr[v], indptr[v + 1])
        known = dict(zip(features[span].tolist(), weights[span].tolist(), strict=True))
        score = bias[v] + sum(0.5 * known.get(f, 0.0) for f in indices.tolist())
        share[v] = share[tree.parent[v]] / (1 + np.exp(-score))
    wanted = np.sort(share[tree.leaves])[::-1]
    labels, found = model.best(indices, values, tree.n_labels)
    assert sorted(labels.tolist()) == list(range(tree.n_labels))
    assert found == pytest.approx(wanted, rel=1e-4)


def test_a_full_node_places_a_new_label_below_a_child() -> None:
    model = learn(new_model(max_degree=2), [({0: 1.0}, {0}), ({1: 1.0}, {1}), ({0: 1.0}, {2})])
    assert tree_of(model).to_nested() == [[0, 2], 1]


def test_a_new_label_is_placed_below_a_child_that_its_row_visits() -> None:
    model = learn(new_model(max_degree=2), [({0: 1.0}, {0}), ({1: 1.0}, {1}), ({0: 1.0}, {1, 2})])
    assert tree_of(model).to_nested() == [0, [1, 2]]


def test_removing_a_label_does_not_change_its_siblings() -> None:
    model = learn(new_model(), [({0: 1.0}, {0}), ({1: 1.0}, {1}), ({2: 1.0}, {2})])
    before = model.best(np.array([2], np.int32), np.ones(1, np.float32), 3)
    model.remove_labels(np.array([1, 0, 1], np.uint8))
    labels, found = model.best(np.array([2], np.int32), np.ones(1, np.float32), 3)
    old = dict(zip(before[0].tolist(), before[1].tolist(), strict=True))
    assert dict(zip(labels.tolist(), found.tolist(), strict=True)) == {1: old[2], 0: old[0], -1: 0}


def test_a_single_child_replaces_its_parent() -> None:
    rows = [({0: 1.0}, {0}), ({1: 1.0}, {1}), ({0: 1.0}, {2})]
    model = learn(new_model(max_degree=2), rows)
    model.remove_labels(np.array([1, 1, 0], np.uint8))
    assert tree_of(model).to_nested() == [0, 1]
    # It can be split again, because it keeps the statistics of its own rows.
    assert tree_of(learn(model, [({0: 1.0}, {2})])).to_nested() == [[0, 2], 1]


def test_learning_continues_after_all_labels_are_removed() -> None:
    model = learn(new_model(), [({0: 1.0}, {0}), ({1: 1.0}, {1})])
    model.remove_labels(np.zeros(2, np.uint8))
    assert learn(model, [({0: 1.0}, {0})]).n_labels == 1


def test_rebuilding_the_same_tree_keeps_all_weights() -> None:
    rows = many_rows(100)
    model = learn(new_model(), rows)
    assert_same(model, model.rebuilt(tree_of(model)._native, *arrays(rows), 1))


def test_a_rebuilt_tree_is_the_given_one() -> None:
    rows = [({0: 1.0}, {0}), ({1: 1.0}, {1}), ({0: 1.0}, {2}), ({1: 1.0}, {0, 2})]
    tree = LabelTree.from_nested([[0, 2], 1])
    rebuilt = learn(new_model(), rows).rebuilt(tree._native, *arrays(rows), 1)
    assert tree_of(rebuilt).to_nested() == [[0, 2], 1]


def other_tree(n_labels: int, turn: int) -> LabelTree:
    """Pairs of labels, others in each turn."""
    labels = np.random.default_rng(turn).permutation(n_labels).tolist()
    return LabelTree.from_nested([labels[i : i + 2] for i in range(0, n_labels, 2)])


def rebuilt_often(n_times: int) -> Any:
    rows = many_rows(200)
    model = learn(new_model(), rows[:100])
    for turn in range(n_times):
        tree = other_tree(model.n_labels, turn)
        model = model.rebuilt(tree._native, *arrays(rows[:5]), 1)
        learn(model, rows[100 + turn : 101 + turn])
    return model


# From the fourth time on, weights are copied.
@pytest.mark.parametrize("n_times", range(1, 6))
def test_a_rebuilt_model_equals_its_restored_copy(n_times) -> None:
    model = rebuilt_often(n_times)
    other = restored(model)
    assert_same(model, other)
    rows = many_rows(200)
    indices, values = np.arange(N_FEATURES, dtype=np.int32), np.ones(N_FEATURES, np.float32)
    for one, two in zip(
        model.best(indices, values, 5), other.best(indices, values, 5), strict=True
    ):
        assert np.array_equal(one, two)
    assert_same(learn(model, rows[150:]), learn(other, rows[150:]))


def test_labels_of_a_rebuilt_model_can_be_removed() -> None:
    model = rebuilt_often(2)
    other = restored(model)
    keep = np.arange(model.n_labels, dtype=np.uint8) % 3 > 0
    for one in (model, other):
        one.remove_labels(keep.astype(np.uint8))
    assert_same(model, other)


def test_a_rebuilt_model_can_be_pruned() -> None:
    model = rebuilt_often(2)
    other = restored(model)
    for one in (model, other):
        one.prune(100)
    assert_same(model, other)


def test_a_model_and_the_one_rebuilt_from_it_learn_independently() -> None:
    rows = many_rows(100)
    model = learn(new_model(), rows)
    rebuilt = model.rebuilt(other_tree(model.n_labels, 0)._native, *arrays(rows[:5]), 1)
    same_tree = model.rebuilt(tree_of(model)._native, *arrays(rows[:5]), 1)
    before = [restored(one) for one in (model, rebuilt)]
    learn(same_tree, rows[:20])
    assert_same(model, before[0])
    learn(model, rows[:20])
    assert_same(rebuilt, before[1])


def test_pruning_keeps_the_largest_weights() -> None:
    rows = [({0: 1.0, 1: 0.01}, {0}), ({1: 0.01}, {1})]
    model = learn(new_model(), rows)
    n_weights = model.n_weights
    model.prune(n_weights - 1)
    assert model.n_weights < n_weights
    assert all_weights(model)[2].tolist() == [0, 0, 0]


def test_a_restored_model_counts_as_many_weights_after_labels_were_removed() -> None:
    model = learn(new_model(), many_rows(100))
    keep = np.ones(model.n_labels, np.uint8)
    keep[::3] = 0
    model.remove_labels(keep)
    assert restored(model).n_weights == model.n_weights


def test_new_labels_must_be_in_order() -> None:
    with pytest.raises(ValueError, match="order of their numbers"):
        learn(new_model(), [({0: 1.0}, {1})])


def test_features_out_of_range_are_refused() -> None:
    with pytest.raises(ValueError, match=r"feature 6 is outside 0\.\.5"):
        learn(new_model(), [({6: 1.0}, {0})])


@pytest.mark.parametrize("which", range(15))
def test_inconsistent_arrays_are_refused(which) -> None:
    model = learn(new_model(), many_rows(10))
    broken = list(model.arrays())
    broken[which] = broken[which][:-1].copy()
    with pytest.raises(ValueError, match=r"must|there"):
        _core.OnlineModel.restore(*broken, model.counts, N_FEATURES, native_settings())


def test_a_feature_out_of_range_in_arrays_is_refused() -> None:
    model = learn(new_model(), many_rows(10))
    broken = list(model.arrays())
    broken[6] = np.where(broken[6] == 5, N_FEATURES, broken[6]).astype(np.int32)
    with pytest.raises(ValueError, match=r"outside 0\.\.5"):
        _core.OnlineModel.restore(*broken, model.counts, N_FEATURES, native_settings())
