import logging
import os
import signal
import threading

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import DataConversionWarning, NotFittedError

from labeltree import HSMClassifier, LabelTree, PLTClassifier, cost, trees
from labeltree.builders import BUILDERS
from labeltree.calibration import Calibration, fixed_calibration
from labeltree.data import as_features, as_labels
from labeltree.data.unit_rows import unit_rows
from labeltree.model import Model
from labeltree.training import NEVER, SolverSettings, train_tree

EXACT = {"tolerance": 1e-5, "max_iterations": 3000, "prune": 0.0}


def data(n_rows: int = 80, n_features: int = 15, n_labels: int = 20, seed: int = 0):
    """Rows with a few features and labels; row 0 has no features and rows 1 to 9 no labels."""
    rng = np.random.default_rng(seed)
    X = sparse.random_array((n_rows, n_features), density=0.3, rng=rng, dtype=np.float64).tolil()
    X[0] = 0
    Y = rng.random((n_rows, n_labels)) < 0.15
    Y[~Y.any(axis=1), 0] = True
    Y[1:10] = False
    return X.tocsr().astype(np.float32), sparse.csr_array(Y.astype(np.uint8))


def dense(clf, X) -> np.ndarray:
    return clf.predict_proba(X).toarray()


# Trees ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(set(BUILDERS) - {"exact"}))
def test_every_tree_name_trains_and_answers(name: str) -> None:
    X, Y = data()
    clf = PLTClassifier(tree=name).fit(X, Y)
    assert dense(clf, X).shape == Y.shape


def test_tree_options_go_to_the_builder() -> None:
    X, Y = data()
    options = {"max_leaf": 5, "arity": 4}
    clf = PLTClassifier(tree="kmeans", tree_options=options, random_state=3).fit(X, Y)
    assert clf.tree_ == trees.kmeans(unit_rows(as_features(X)), Y, max_leaf=5, arity=4, seed=3)


def test_auto_makes_nodes_wider_where_rows_have_more_features() -> None:
    y = np.arange(500)
    few = sparse.eye_array(500, format="csr", dtype=np.float32)
    many = np.eye(500, 700, dtype=np.float32) + 0.01
    narrow, wide = (PLTClassifier(max_iterations=1).fit(X, y).tree_ for X in (few, many))
    assert 1 < narrow.max_degree < wide.max_degree


@pytest.mark.parametrize(
    ("options", "per_row"), [({}, 18), ({"width": 1}, 10), ({"width": 2, "min_per_row": 1}, 12)]
)
def test_auto_is_blend_by_a_price_of_rows_with_a_floor(options, per_row) -> None:
    rng = np.random.default_rng(0)
    six_a_row = np.argsort(rng.random((500, 60)), axis=1) < 6
    X, y = six_a_row * rng.random((500, 60)), np.arange(500)
    clf = PLTClassifier(tree_options=options, max_iterations=1).fit(X, y)
    prices = trees.CostModel(per_row=per_row)
    rows = unit_rows(as_features(X))
    assert clf.tree_ == trees.blend(rows, y, likeness=0.75, cost_model=prices)


def test_the_model_is_that_of_train_tree_over_unit_rows() -> None:
    X, Y = data()
    tree = trees.huffman(as_labels(Y).counts)
    clf = PLTClassifier(tree=tree, C=2.0).fit(X, Y)
    rows = unit_rows(as_features(X))
    weights = train_tree(tree, rows, as_labels(Y), SolverSettings(C=2.0))
    calibration = fixed_calibration("squared_hinge", "indicator")
    model = Model([tree], [weights], "squared_hinge", 15, True, calibration=calibration)
    expected, _ = model.search(rows, top_k=None, threshold=0.0, n_threads=1)
    np.testing.assert_array_equal(dense(clf, X), expected.toarray())
    assert clf.training_cost_ == cost.training_cost(tree, Y)


def test_labels_of_a_tree_with_names_are_numbered_as_in_the_tree() -> None:
    tree = LabelTree.from_nested([["tea", "milk"], "bread"])
    X = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    clf = PLTClassifier(tree=tree).fit(X, [["tea"], ["milk"], ["bread"]])
    assert clf.classes_.tolist() == ["tea", "milk", "bread"]
    assert clf.top_k(X, k=1)[0].tolist() == [[0], [1], [2]]


def test_a_tree_may_have_labels_that_no_row_has() -> None:
    tree = LabelTree.from_nested([["tea", "milk"], "bread"])
    clf = PLTClassifier(tree=tree).fit([[1, 0], [0, 1]], [["tea"], ["bread"]])
    assert dense(clf, [[1, 0]])[0, 1] == 0


def test_a_tree_without_names_takes_any_labels_in_their_order() -> None:
    clf = PLTClassifier(tree=LabelTree.from_nested([[0, 1], 2])).fit(
        [[1, 0, 0], [0, 1, 0], [0, 0, 1]], [["c"], ["a"], ["b"]]
    )
    assert clf.classes_.tolist() == ["a", "b", "c"]


# Forests ----------------------------------------------------------------------------------------


def test_a_forest_is_the_mean_of_its_trees() -> None:
    X, Y = data()
    grown = [trees.random(20, seed=t) for t in range(3)]
    forest = PLTClassifier(tree=grown, **EXACT).fit(X, Y)
    alone = [PLTClassifier(tree=tree, **EXACT).fit(X, Y) for tree in grown]
    for clf in [forest, *alone]:
        clf.model_ = clf.model_.calibrated(Calibration())  # a curve comes after the mean
    parts = [dense(clf, X) for clf in alone]
    np.testing.assert_allclose(dense(forest, X), np.mean(parts, axis=0), atol=1e-3)
    assert forest.trees_ == grown
    assert forest.training_cost_ == sum(cost.training_cost(tree, Y) for tree in grown)


def test_trees_of_a_forest_differ_by_their_seeds() -> None:
    X, Y = data()
    clf = PLTClassifier(tree="kmeans", tree_options={"max_leaf": 2}, n_trees=2).fit(X, Y)
    assert clf.trees_[0] != clf.trees_[1]


@pytest.mark.parametrize("loss", ["squared_hinge", "logistic"])
def test_rows_outside_the_sample_have_no_say(loss: str) -> None:
    X, Y = data()
    tree = trees.huffman(as_labels(Y).counts)
    options = {"tree": tree, "loss": loss, "random_state": 5, **EXACT}
    sampled = PLTClassifier(row_sample=0.5, **options).fit(X, Y)
    chosen = np.random.default_rng([5, 80]).choice(80, 40, replace=False)
    alone = PLTClassifier(**options).fit(X[chosen], Y[chosen])
    assert alone.model_.has_root == sampled.model_.has_root
    np.testing.assert_allclose(dense(sampled, X), dense(alone, X), atol=2e-3)


def test_sampled_trees_of_counts_differ() -> None:
    X, Y = data()
    clf = PLTClassifier(tree="huffman", n_trees=2, row_sample=0.5).fit(X, Y)
    assert clf.trees_[0] != clf.trees_[1]


def test_equal_trees_are_refused() -> None:
    with pytest.raises(ValueError, match="all huffman trees are the same; set row_sample"):
        PLTClassifier(tree="huffman", n_trees=2).fit(*data())


# Forms of Y -------------------------------------------------------------------------------------


def test_an_indicator_is_answered_by_an_indicator() -> None:
    X, Y = data()
    clf = PLTClassifier(threshold=0.3).fit(X, Y)
    predicted = clf.predict(X)
    assert predicted.dtype == np.uint8
    assert predicted.has_sorted_indices
    np.testing.assert_array_equal(predicted.toarray(), dense(clf, X) >= np.float32(0.3))


def test_all_forms_of_multi_label_y_make_the_same_model() -> None:
    X, Y = data()
    lists = [[f"label{j:02}" for j in as_labels(Y).row(i)] for i in range(80)]
    by_matrix, by_array, by_names = (
        PLTClassifier().fit(X, form) for form in (Y, Y.toarray(), lists)
    )
    np.testing.assert_array_equal(dense(by_matrix, X), dense(by_array, X))
    np.testing.assert_array_equal(dense(by_matrix, X), dense(by_names, X))
    assert by_names.classes_[3] == "label03"


def test_predict_labels_names_the_predicted_labels_best_first() -> None:
    X = [[1, 0], [1, 0], [1, 0], [0, 1]]
    clf = PLTClassifier(threshold=0.1).fit(X, [["tea"], ["tea", "milk"], ["tea"], ["bread"]])
    assert clf.predict_labels([[1, 0]]) == [["tea", "milk"]]
    assert clf.predict([[1, 0]]).toarray().tolist() == [[0, 1, 1]]


@pytest.mark.parametrize("kind", [PLTClassifier, HSMClassifier])
def test_classes_are_answered_by_the_most_probable_class(kind) -> None:
    X, _ = data()
    y = np.array(["a", "b", "c", "d"])[np.random.default_rng(0).integers(4, size=80)]
    clf = kind().fit(X, y)
    assert clf.predict(X).dtype == y.dtype
    np.testing.assert_array_equal(clf.predict(X), clf.classes_[dense(clf, X).argmax(axis=1)])


def test_probabilities_of_classes_sum_to_one_unless_told_otherwise() -> None:
    X, _ = data()
    y = np.arange(80) % 7
    np.testing.assert_allclose(dense(HSMClassifier().fit(X, y), X).sum(axis=1), 1, atol=1e-6)
    clf = HSMClassifier(sum_to_one=False).fit(X, y)
    np.testing.assert_allclose(
        clf.top_k(X, k=7)[1].sum(axis=1), dense(clf, X).sum(axis=1), rtol=1e-5
    )


def test_a_row_of_zero_probabilities_is_divided_evenly() -> None:
    clf = HSMClassifier(normalize=False, bias=0.0).fit([[1.0], [-1.0]], [0, 1])
    weights = clf.model_.layouts
    weights[0].bias[:] = NEVER
    clf.model_ = Model(clf.model_.trees, weights, "squared_hinge", 1, has_root=False)
    assert dense(clf, [[100.0]]).tolist() == [[0.5, 0.5]]


def test_an_indicator_of_one_label_a_row_is_classes_to_the_softmax() -> None:
    clf = HSMClassifier().fit([[1, 0], [0, 1]], sparse.csr_array([[0, 1], [1, 0]]))
    assert clf.predict([[1, 0]]).tolist() == [1]


def objects(*values) -> np.ndarray:
    array = np.empty(len(values), object)
    array[:] = values
    return array


@pytest.mark.parametrize(
    "y",
    [
        [["a"], ["b", "c"]],
        objects({"a"}, {"b", "c"}),
        sparse.csr_array([[1, 1], [0, 1]]),
        as_labels([[0], []]),
    ],
    ids=["lists", "array of sets", "indicator", "label rows"],
)
def test_the_softmax_refuses_rows_with_several_labels(y) -> None:
    with pytest.raises(ValueError, match=r"one class for each row.*use PLTClassifier"):
        HSMClassifier().fit([[1, 0], [0, 1]], y)


def test_an_array_of_one_column_is_classes() -> None:
    with pytest.warns(DataConversionWarning):
        clf = PLTClassifier().fit([[1, 0], [0, 1]], np.array([[5], [7]]))
    assert clf.predict([[1, 0]]).tolist() == [5]


# Answers ----------------------------------------------------------------------------------------


def test_top_k_is_padded_beyond_the_number_of_labels() -> None:
    labels, probabilities = PLTClassifier().fit([[1, 0], [0, 1]], [[0], [1]]).top_k([[1, 0]], k=4)
    assert labels.tolist() == [[0, 1, -1, -1]]
    assert probabilities[0, 0] > probabilities[0, 1] > 0
    assert probabilities[0, 2:].tolist() == [0, 0]


def test_predict_proba_keeps_the_best_or_the_probable() -> None:
    X, Y = data()
    clf = PLTClassifier().fit(X, Y)
    every = dense(clf, X)
    best = clf.predict_proba(X, top_k=3)
    assert best.has_sorted_indices
    assert (np.diff(best.indptr) == 3).all()
    np.testing.assert_array_equal(best.toarray()[best.toarray() > 0], every[best.toarray() > 0])
    probable = clf.predict_proba(X, threshold=0.2).toarray()
    np.testing.assert_array_equal(probable, np.where(every >= np.float32(0.2), every, 0))


def test_prediction_cost_is_that_of_predict() -> None:
    X, Y = data()
    clf = PLTClassifier(tree="star").fit(X, Y)
    # the root, as some rows have no label, and the labels of rows where it is probable enough
    root = clf.prediction_cost(X, threshold=1.0)
    assert set(root) <= {1, 21}
    np.testing.assert_array_equal(clf.prediction_cost(X), clf.prediction_cost(X, threshold=0.5))
    classes = HSMClassifier(tree="star").fit(X, np.arange(80) % 20)
    assert (classes.prediction_cost(X) == 20).all()


def test_batch_equals_single() -> None:
    X, Y = data()
    clf = PLTClassifier().fit(X, Y)
    singles = [dense(clf, X[[i]]) for i in range(10)]
    np.testing.assert_array_equal(dense(clf, X[:10]), np.vstack(singles))


def test_the_number_of_threads_changes_nothing() -> None:
    X, Y = data()
    one, three = (PLTClassifier(n_jobs=n).fit(X, Y) for n in (1, 3))
    np.testing.assert_array_equal(dense(one, X), dense(three, X))


def test_answers_before_fit_are_refused() -> None:
    with pytest.raises(NotFittedError):
        PLTClassifier().predict([[1]])
    with pytest.raises(NotFittedError):
        PLTClassifier().top_k([[1]])


# Rows and weights -------------------------------------------------------------------------------


def test_the_length_of_rows_does_not_matter_unless_told_so() -> None:
    X, Y = data()
    clf, scaled = (PLTClassifier().fit(m, Y) for m in (X, 3 * X))
    np.testing.assert_allclose(dense(clf, X), dense(scaled, 7 * X), atol=1e-6)
    as_is = PLTClassifier(normalize=False).fit(X, Y)
    assert not np.allclose(dense(as_is, X), dense(as_is, 7 * X))


def test_unit_rows_are_not_copied() -> None:
    X = as_features(sparse.csr_array([[0.6, 0.8], [0.0, 0.0], [1.0, 0.0]], dtype=np.float32))
    assert unit_rows(X) is X
    longer = as_features(sparse.csr_array([[3.0, 4.0]], dtype=np.float32))
    assert np.shares_memory(unit_rows(longer).indices, longer.indices)


@pytest.mark.parametrize("loss", ["squared_hinge", "logistic"])
def test_rows_of_weight_zero_are_left_out(loss: str) -> None:
    X, Y = data()
    weight = np.arange(80) % 3.0
    kept = np.flatnonzero(weight)
    tree = trees.huffman(as_labels(Y).counts)
    options = {"tree": tree, "loss": loss, **EXACT}
    weighted = PLTClassifier(**options).fit(X, Y, sample_weight=weight)
    alone = PLTClassifier(**options).fit(X[kept], Y[kept], sample_weight=weight[kept])
    np.testing.assert_allclose(dense(weighted, X), dense(alone, X), atol=2e-3)


def test_a_weight_of_two_is_the_row_twice() -> None:
    X, Y = data()
    tree = trees.huffman(as_labels(Y).counts)
    twice = np.concatenate([np.arange(80), np.arange(30)])
    weight = np.where(np.arange(80) < 30, 2.0, 1.0)
    one = PLTClassifier(tree=tree, **EXACT).fit(X, Y, sample_weight=weight)
    other = PLTClassifier(tree=tree, **EXACT).fit(X[twice], Y[twice])
    np.testing.assert_allclose(dense(one, X), dense(other, X), atol=2e-3)


def test_weights_of_labels_are_weights_of_rows() -> None:
    X, _ = data()
    y = np.array(["a", "b", "c"])[np.arange(80) % 3]
    one = HSMClassifier(class_weight={"a": 3.0}).fit(X, y)
    other = HSMClassifier().fit(X, y, sample_weight=np.where(y == "a", 3.0, 1.0))
    np.testing.assert_array_equal(dense(one, X), dense(other, X))


def test_a_row_has_the_largest_weight_of_its_labels() -> None:
    X = [[1, 0], [0, 1], [1, 1]]
    Y = [["a"], ["a", "b"], []]
    one = PLTClassifier(class_weight={"a": 2.0, "b": 5.0}).fit(X, Y)
    other = PLTClassifier().fit(X, Y, sample_weight=[2.0, 5.0, 1.0])
    np.testing.assert_array_equal(dense(one, X), dense(other, X))


def test_balanced_nodes_raise_rare_labels() -> None:
    X = [[1.0]] * 10
    Y = [["often"]] * 9 + [["rare"]]
    plain, balanced = (PLTClassifier(class_weight=w).fit(X, Y) for w in (None, "balanced"))
    assert dense(balanced, [[1.0]])[0, 1] > dense(plain, [[1.0]])[0, 1]


def test_rows_of_one_label_each_are_damped_by_their_own_powers() -> None:
    X, _ = data()
    y = np.arange(80) % 3
    indicator = np.eye(3, dtype=np.uint8)[y]
    plain, spelled, other = (
        PLTClassifier(damping=d).fit(X, indicator) for d in (None, (0.0, 0.25), (0.08, 0.15))
    )
    np.testing.assert_array_equal(dense(plain, X), dense(spelled, X))
    assert not np.array_equal(dense(plain, X), dense(other, X))


def test_a_pair_of_class_weights_is_one_factor_of_c_where_both_are_the_same() -> None:
    X, Y = data()
    one = PLTClassifier(class_weight=(0.5, 0.5)).fit(X, Y)
    other = PLTClassifier(C=0.5).fit(X, Y)
    np.testing.assert_array_equal(dense(one, X), dense(other, X))


# Memory -----------------------------------------------------------------------------------------


def test_x_is_trained_from_its_own_memory(monkeypatch) -> None:
    X, Y = data()
    X = unit_rows(as_features(X))
    seen = []

    def spy(tree, features, *rest, **options):
        seen.append(features)
        return train_nodes(tree, features, *rest, **options)

    from labeltree import fitting

    train_nodes = fitting.train_nodes
    monkeypatch.setattr(fitting, "train_nodes", spy)
    PLTClassifier(row_sample=0.5, n_trees=2).fit(X, Y)
    for features in seen:
        assert np.shares_memory(features.data, X.data)
        assert np.shares_memory(features.indices, X.indices)


def test_mapped_files_stay_mapped(tmp_path, monkeypatch) -> None:
    X, Y = data()
    X = unit_rows(as_features(X))
    for part in ("data", "indices", "indptr"):
        np.save(tmp_path / part, getattr(X, part))
    parts = [np.load(tmp_path / f"{part}.npy", mmap_mode="r") for part in ("data", "indices")]
    mapped = sparse.csr_array((*parts, X.indptr), shape=X.shape)
    from labeltree import fitting

    seen = []
    make = fitting.train_nodes
    monkeypatch.setattr(
        fitting, "train_nodes", lambda t, x, *a, **k: (seen.append(x), make(t, x, *a, **k))[1]
    )
    clf = PLTClassifier().fit(mapped, Y)
    assert np.shares_memory(seen[0].data, parts[0])
    assert np.shares_memory(seen[0].indices, parts[1])
    np.testing.assert_array_equal(dense(clf, mapped), dense(PLTClassifier().fit(X, Y), X))


def test_max_memory_takes_bytes_and_texts() -> None:
    X, Y = data()
    free, limited = (PLTClassifier(max_memory=m).fit(X, Y) for m in (None, "500MB"))
    np.testing.assert_array_equal(dense(free, X), dense(limited, X))
    for too_little in (1000, "1kB"):
        with pytest.raises(ValueError, match="max_memory must be at least"):
            PLTClassifier(max_memory=too_little).fit(X, Y)


def test_peak_memory_is_that_of_the_process() -> None:
    before = np.ones(3_000_000)
    assert PLTClassifier().fit([[1], [2]], [0, 1]).peak_memory_ > before.nbytes


# People -----------------------------------------------------------------------------------------


def test_verbose_tells_how_far_it_is(capsys) -> None:
    X, Y = data()
    PLTClassifier(tree="kmeans", n_trees=2, verbose=1).fit(X, Y)
    assert "tree 2 of 2: 100 %" in capsys.readouterr().err


def test_nothing_is_printed_unless_asked_for(capsys) -> None:
    PLTClassifier().fit(*data())
    assert capsys.readouterr() == ("", "")


def test_what_is_done_is_logged(caplog) -> None:
    with caplog.at_level(logging.INFO, "labeltree"):
        PLTClassifier().fit(*data())
    assert "trained" in caplog.text


def test_ctrl_c_leaves_the_estimator_as_it_was() -> None:
    rng = np.random.default_rng(0)
    X = rng.random((4000, 200), dtype=np.float32)
    Y = rng.integers(2, size=(4000, 100), dtype=np.uint8)
    clf = PLTClassifier(tree="star").fit(X[:20], Y[:20, :5])
    before = dict(vars(clf))
    clf.set_params(loss="logistic", C=1000.0, tolerance=0.0, max_iterations=1_000_000)
    timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            clf.fit(X, Y)
    finally:
        timer.cancel()
    assert {k: v for k, v in vars(clf).items() if k.endswith("_")} == {
        k: v for k, v in before.items() if k.endswith("_")
    }


def test_a_second_fit_forgets_the_first() -> None:
    pandas = pytest.importorskip("pandas")
    clf = PLTClassifier().fit(pandas.DataFrame({"a": [1, 0], "b": [0, 1]}), [0, 1])
    assert clf.feature_names_in_.tolist() == ["a", "b"]
    clf.fit([[1], [0]], [[0], [1]])
    assert not hasattr(clf, "feature_names_in_")
    assert clf.n_features_in_ == 1


# What is wrong, and what is only odd ------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"tree": "oak"}, ValueError, "tree must be one of auto, star, .*, but is 'oak'"),
        (
            {"tree": 3},
            TypeError,
            "tree must be a name, a LabelTree .*, but is or holds int",
        ),
        ({"tree": []}, ValueError, "tree must hold at least one LabelTree, but is empty"),
        ({"tree": trees.star(3)}, ValueError, "20 labels, but 3 are expected"),
        ({"tree": trees.star(20), "n_trees": 2}, ValueError, "n_trees is 2, but 1 trees are given"),
        ({"tree": trees.star(20), "tree_options": {"arity": 2}}, ValueError, "for trees by name"),
        ({"tree": "kmeans", "tree_options": {"arty": 2}}, TypeError, "arty"),
        ({"n_trees": 0}, ValueError, "n_trees must be at least 1, but is 0"),
        ({"n_trees": 1.5}, TypeError, "n_trees must be an integer, but is float"),
        ({"row_sample": 0.0}, ValueError, "row_sample must lie above 0 and up to 1, but is 0.0"),
        ({"row_sample": 2}, ValueError, "row_sample must lie above 0 and up to 1, but is 2"),
        ({"loss": "hinge"}, ValueError, "loss must be one of squared_hinge, logistic"),
        ({"C": -1.0}, ValueError, "C must be above 0, but is -1.0"),
        ({"threshold": 1.5}, ValueError, "threshold must lie in 0..1, but is 1.5"),
        ({"class_weight": "even"}, ValueError, 'class_weight must be "balanced"'),
        ({"class_weight": (1, 2, 3)}, ValueError, "class_weight must have two numbers, .* has 3"),
        ({"damping": 0.1}, TypeError, "damping must be a pair of numbers or None, but is float"),
        ({"damping": [0.1]}, ValueError, "damping must be two powers from 0 to 1, but is"),
        ({"class_weight": 3}, TypeError, "class_weight must be .*, but is int"),
        ({"class_weight": {99: 2.0}}, ValueError, "class_weight names label 99, but Y has none"),
        ({"class_weight": {0: -2.0}}, ValueError, "class_weight must be finite and at least 0"),
        ({"n_jobs": 0}, ValueError, "n_jobs must be a number of threads"),
        ({"random_state": -1}, ValueError, "random_state must be at least 0, but is -1"),
        ({"max_memory": "many"}, ValueError, 'such as "60s", "500MB"'),
        ({"max_memory": -5}, ValueError, "memory must be finite and above 0"),
    ],
)
def test_parameters_are_checked_in_fit(options, error, message) -> None:
    clf = PLTClassifier(**options)
    with pytest.raises(error, match=message):
        clf.fit(*data())
    assert not hasattr(clf, "model_")


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        (np.ones((0, 3)), [], r"0 sample\(s\)"),
        (np.ones((2, 0)), [0, 1], r"0 feature\(s\)"),
        ([[1.0], [np.nan]], [0, 1], "X must not contain NaN or inf, but row 1, column 0 is NaN"),
        ([[1.0], [2.0]], [0, 1, 2], "X has 2 rows, but Y has 3"),
        ([[1.0], [2.0]], [[], []], "Y must have at least one label, but has none"),
        ([[1.0], [2.0]], None, "y is None"),
        ([[1.0], [2.0]], [0.0, np.nan], "label NaN"),
        ([[1.0], [2.0]], np.array([0.5, 0.7]), "continuous"),
    ],
)
def test_data_is_checked(X, y, message) -> None:
    with pytest.raises(ValueError, match=message):
        PLTClassifier().fit(X, y)


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        ([1.0], r"sample_weight must have one number for each of 2 rows, but its shape is \(1,\)"),
        ([1.0, -1.0], "sample_weight must be finite and at least 0, but number 1 is -1.0"),
        ([1.0, np.nan], "sample_weight must be finite"),
        ([0.0, 0.0], "all weights are zero"),
    ],
)
def test_weights_are_checked(weight, message) -> None:
    with pytest.raises(ValueError, match=message):
        PLTClassifier().fit([[1], [2]], [0, 1], sample_weight=weight)


def test_rows_of_another_width_are_refused() -> None:
    clf = PLTClassifier().fit([[1], [2]], [0, 1])
    with pytest.raises(ValueError, match="X has 2 features, but PLTClassifier is expecting 1"):
        clf.predict([[1, 2]])


def test_queries_are_checked() -> None:
    clf = PLTClassifier().fit([[1], [2]], [0, 1])
    with pytest.raises(ValueError, match="k must be at least 1, but is 0"):
        clf.top_k([[1]], k=0)
    with pytest.raises(ValueError, match="top_k must be at least 1, but is -1"):
        clf.predict_proba([[1]], top_k=-1)
    with pytest.raises(ValueError, match=r"threshold must lie in 0\.\.1, but is 2"):
        clf.predict_proba([[1]], threshold=2)


def test_one_label_for_all_rows_is_certain() -> None:
    assert HSMClassifier().fit([[1], [2]], ["a", "a"]).predict([[5]]).tolist() == ["a"]
    assert dense(PLTClassifier().fit([[1], [2]], sparse.csr_array([[1], [1]])), [[5]]) == 1


def test_one_label_of_some_rows_is_learned() -> None:
    clf = PLTClassifier().fit([[1, 0], [0, 1]], sparse.csr_array([[1], [0]]))
    assert clf.predict([[1, 0], [0, 1]]).toarray().tolist() == [[1], [0]]


@pytest.mark.parametrize("loss", ["squared_hinge", "logistic"])
def test_labels_that_no_row_has_are_impossible(loss: str) -> None:
    clf = PLTClassifier(loss=loss).fit([[1], [2]], sparse.csr_array([[1, 0], [1, 0]]))
    assert clf.predict_proba([[1]])[0, 0] > 0.5
    assert clf.predict_proba([[1]])[0, 1] == 0
    clf = PLTClassifier(loss=loss).fit([[1], [2]], sparse.csr_array((2, 3)))
    assert dense(clf, [[1]]).tolist() == [[0, 0, 0]]


def test_a_row_without_features_gets_the_usual_labels() -> None:
    X = [[1, 0], [1, 0], [1, 0], [0, 1]]
    clf = HSMClassifier().fit(X, ["often", "often", "often", "rare"])
    assert clf.predict(sparse.csr_array((1, 2))).tolist() == ["often"]


def test_no_rows_have_no_answers() -> None:
    clf = PLTClassifier().fit([[1], [2]], [[0], [1]])
    nothing = np.empty((0, 1))
    assert clf.predict(nothing).shape == (0, 2)
    assert clf.top_k(nothing, k=3)[0].shape == (0, 3)
    assert clf.predict_labels(nothing) == []


@pytest.mark.parametrize("loss", ["squared_hinge", "logistic"])
def test_rows_without_features_or_bias_do_no_harm(loss: str) -> None:
    X, Y = data()
    clf = PLTClassifier(loss=loss, bias=0.0).fit(X, Y)
    assert np.isfinite(dense(clf, X)).all()
    assert len(clf.model_.weights().values) > 0
