"""`PLTClassifier(implications=...)`: labels that come with those above them in a hierarchy."""

import json
from collections import Counter

import numpy as np
import pytest
from scipy import sparse
from sklearn.tree import DecisionTreeClassifier

import labeltree as lt
from labeltree import HSMClassifier, PLTClassifier
from labeltree.data import as_labels
from labeltree.plot import explanation as plot_explanation

N_LEAVES, N_KINDS, N_NOISE = 400, 8, 60


def hierarchy(n_rows: int = 4000, seed: int = 0, *, closed: bool = True):
    """Rows of rare labels, each of one of 8 kinds in 2 halves; words of labels are sometimes wrong.

    Each row has all three unless they are not closed: then kinds and halves are random.
    """
    rng = np.random.default_rng(seed)
    leaf = np.minimum(*rng.integers(0, N_LEAVES, (2, n_rows)))
    kind = leaf % N_KINDS if closed else rng.integers(0, N_KINDS, n_rows)
    half = kind % 2 if closed else rng.integers(0, 2, n_rows)
    is_right = rng.random(n_rows) < 0.7
    words = [np.where(is_right, leaf, rng.integers(0, N_LEAVES, n_rows))]
    words += list(N_LEAVES + rng.integers(0, N_NOISE, (6, n_rows)))
    columns, rows = np.concatenate(words), np.tile(np.arange(n_rows), len(words))
    shape = n_rows, N_LEAVES + N_NOISE
    X = sparse.coo_array((np.ones(len(rows), np.float32), (rows, columns)), shape=shape).tocsr()
    named = zip(leaf.tolist(), kind.tolist(), half.tolist(), strict=True)
    return X, [[f"leaf{a}", f"kind{b}", f"half{c}"] for a, b, c in named]


def n_implied(Y) -> int:
    """Pairs of a label and one that it implies: kinds imply halves, leaves of 3 rows imply both."""
    counts = Counter(row[0] for row in Y)
    return N_KINDS + 2 * sum(count >= 3 for count in counts.values())


def probability(clf, label: str, X) -> np.ndarray:
    return clf.predict_proba(X).toarray()[:, clf.classes_.tolist().index(label)]


def test_auto_uses_implications_that_held_back_rows_gain_from() -> None:
    X, Y = hierarchy()
    clf = PLTClassifier(n_jobs=1).fit(X, Y)
    assert clf.settings_["n_implications"] == n_implied(Y)
    assert (probability(clf, "kind3", X[:200]) >= probability(clf, "leaf3", X[:200])).all()


def test_auto_leaves_other_labels_as_they_are() -> None:
    X, Y = hierarchy(closed=False)
    clf = PLTClassifier(n_jobs=1).fit(X, Y)
    without = PLTClassifier(n_jobs=1, implications=False).fit(X, Y)
    assert clf.settings_["n_implications"] == 0
    assert (clf.top_k(X)[1] == without.top_k(X)[1]).all()


def test_auto_needs_held_back_rows() -> None:
    X, Y = hierarchy(n_rows=500)
    assert PLTClassifier(n_jobs=1).fit(X, Y).settings_["n_implications"] == 0
    X, Y = hierarchy()
    clf = PLTClassifier(n_jobs=1, validation_fraction=None).fit(X, Y)
    assert clf.settings_["n_implications"] == 0


def test_true_uses_them_without_held_back_rows() -> None:
    X, Y = hierarchy(n_rows=500)
    clf = PLTClassifier(n_jobs=1, implications=True).fit(X, Y)
    assert clf.settings_["n_implications"] == n_implied(Y)
    assert PLTClassifier(implications=True).fit([[1], [2]], [["a"], ["b"]]).n_rows_ == 2


def test_new_rows_gain_and_stay_calibrated() -> None:
    X, Y = hierarchy()
    test_X, test_Y = hierarchy(seed=1)
    known = {label for row in Y for label in row}
    test_Y = [[label for label in row if label in known] for row in test_Y]
    precision, error = {}, {}
    for implications in (False, "auto"):
        clf = PLTClassifier(n_jobs=1, implications=implications).fit(X, Y)
        truth = as_labels(test_Y, names=clf.classes_)
        labels, probabilities = clf.top_k(test_X)
        found = lt.metrics.evaluate(truth, labels, probabilities=probabilities)
        precision[implications], error[implications] = found["P@1"], found["ECE@5"]
    assert precision["auto"] > precision[False] + 0.01
    assert error["auto"] < error[False] + 0.01


def test_a_forest_with_rankers_has_implications_too() -> None:
    X, Y = hierarchy()
    clf = PLTClassifier(n_trees=2, rerank=True, implications=True, n_jobs=1).fit(X, Y)
    assert clf.settings_["n_implications"] == n_implied(Y)
    labels, probabilities = clf.top_k(X[:100], k=2)
    given = clf.label_proba(X[:100], [clf.classes_[row].tolist() for row in labels])
    np.testing.assert_allclose(np.sort(given.data), np.sort(probabilities.ravel()), rtol=1e-6)


def test_they_are_the_same_for_any_number_of_threads() -> None:
    X, Y = hierarchy()
    one, two = (PLTClassifier(n_jobs=n).fit(X, Y) for n in (1, 2))
    assert one.model_.implications.indices.tolist() == two.model_.implications.indices.tolist()


def test_a_file_keeps_them(tmp_path) -> None:
    X, Y = hierarchy()
    clf = PLTClassifier(n_jobs=1).fit(X, Y)
    clf.save(tmp_path / "model.lt")
    loaded = lt.load(tmp_path / "model.lt")
    assert loaded.settings_ == clf.settings_
    assert (loaded.top_k(X)[0] == clf.top_k(X)[0]).all()
    assert (loaded.top_k(X)[1] == clf.top_k(X)[1]).all()


def test_subsets_have_the_probabilities_of_all_labels() -> None:
    X, Y = hierarchy()
    clf = PLTClassifier(n_jobs=1).fit(X, Y)
    kinds = [f"kind{b}" for b in range(N_KINDS)]
    every = np.stack([probability(clf, kind, X[:50]) for kind in kinds], axis=1)
    labels, probabilities = clf.top_k(X[:50], k=1, labels=kinds)
    np.testing.assert_array_equal(probabilities[:, 0], every.max(axis=1))
    others = [label for label in clf.classes_.tolist() if label not in kinds]
    excluded = clf.top_k(X[:50], k=1, exclude_labels=others)
    np.testing.assert_array_equal(excluded[0], labels)


def test_an_explanation_names_the_label_that_implies_another() -> None:
    X, Y = hierarchy()
    clf = PLTClassifier(n_jobs=1).fit(X, Y)
    found = [clf.explain(X[[i]], "kind3") for i in range(120)]
    implied = next(why for why in found if why.implied_by is not None)
    assert str(implied.implied_by).startswith("leaf")
    assert f"implied by {implied.implied_by}, whose path is shown" in str(implied)
    assert f"implied by {implied.implied_by}" in implied._repr_html_()
    assert json.loads(json.dumps(implied.to_dict()))["implied_by"] == implied.implied_by
    assert implied.steps[-1].examples == (implied.implied_by,)
    assert f"implied by {implied.implied_by}" in plot_explanation(implied).axes[0].get_title("left")
    own = next(why for why in found if why.implied_by is None)
    assert own.steps[-1].examples == ("kind3",)
    for i, why in enumerate(found):
        assert why.probability == pytest.approx(probability(clf, "kind3", X[[i]])[0], abs=1e-6)


def test_partial_fit_drops_them() -> None:
    X, Y = hierarchy()
    clf = PLTClassifier(n_jobs=1).fit(X, Y)
    clf.partial_fit(X[:10], [["leaf0", "kind1"]] * 10)
    assert clf.settings_["n_implications"] == 0
    assert clf.model_.implications is None


def test_classes_have_none() -> None:
    X, Y = hierarchy()
    clf = HSMClassifier(n_jobs=1, implications=True).fit(X, [row[0] for row in Y])
    assert clf.settings_["n_implications"] == 0


@pytest.mark.parametrize("value", ["yes", 1, None, 0.5])
def test_other_values_are_refused(value) -> None:
    with pytest.raises(ValueError, match='implications must be "auto", True or False, but is'):
        PLTClassifier(implications=value).fit([[1], [2]], [["a"], ["b"]])


def test_other_nodes_have_none() -> None:
    nodes = DecisionTreeClassifier(max_depth=2)
    X, Y = hierarchy(n_rows=60)
    assert PLTClassifier(node_estimator=nodes).fit(X, Y).settings_["n_implications"] == 0
    with pytest.raises(ValueError, match="implications requires native nodes"):
        PLTClassifier(node_estimator=nodes, implications=True).fit(X, Y)
