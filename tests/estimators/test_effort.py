"""Estimators with `effort`: what fit decides, in files, copies, taggers and online learning."""

import numpy as np
import pytest
from sklearn.base import clone

import labeltree as lt
from labeltree import HSMClassifier, PLTClassifier, TextTagger
from tests.crossed_words import crossed
from tests.estimators.few_rows import data
from tests.training.test_ranker_choice import confusable

X, Y = data()


def bits(clf: PLTClassifier) -> list[bytes]:
    return [array.tobytes() for array in clf.top_k(X, 5)]


def test_settings_are_what_fit_decided() -> None:
    clf = PLTClassifier(effort="high", n_jobs=1).fit(X, Y)
    assert clf.settings_ == {
        "tree": ["auto", "auto", "kmeans"],
        "tree_params": [{}, {}, {"arity": 100, "balanced": False}],
        "C": 1.0,
        "max_iter": 8,
        "rerank": False,
        "n_interactions": 0,
        "n_implications": 0,
    }
    assert len(clf.trees_) == 3


def test_settings_name_trees_that_are_given() -> None:
    tree = lt.trees.complete(20)
    assert PLTClassifier(tree=tree).fit(X, Y).settings_["tree"] == ["given"]


def test_settings_have_the_passes_of_a_fit_that_holds_rows_back() -> None:
    assert PLTClassifier(n_jobs=1).fit(*confusable()).settings_["max_iter"] == 9


def test_settings_say_whether_held_back_rows_gain_from_rankers() -> None:
    clf = PLTClassifier(effort="best", n_jobs=1).fit(*confusable())
    assert clf.settings_["rerank"] == (clf.model_.rankers is not None)
    few = PLTClassifier(effort="best", n_jobs=1).fit(X, Y)  # too few rows to hold any back
    assert few.settings_["rerank"] is False


def test_settings_have_the_number_of_pairs_of_features(tmp_path) -> None:
    rows = crossed(400)
    clf = PLTClassifier(interactions=1.0, n_jobs=1).fit(*rows)
    assert clf.settings_["n_interactions"] == len(clf.interactions_) > 0
    clf.save(tmp_path / "model.lt")
    assert lt.load(tmp_path / "model.lt").settings_ == clf.settings_
    again = clone(clf).set_params(interactions=None).fit(*rows)
    assert again.settings_["n_interactions"] == 0


def test_settings_have_the_pairs_that_auto_chose(monkeypatch) -> None:
    monkeypatch.setattr("labeltree.training.interactions.ENOUGH_ROWS", 300)
    clf = PLTClassifier(n_jobs=1).fit(*crossed(400))
    assert clf.settings_["n_interactions"] == len(clf.interactions_) > 0
    fast = PLTClassifier(effort="fast", n_jobs=1).fit(*crossed(400))
    assert fast.settings_["n_interactions"] == 0


def test_online_learning_keeps_the_pairs_of_fit_among_the_settings() -> None:
    rows = crossed(400)
    clf = PLTClassifier(interactions=1.0, n_jobs=1).fit(*rows)
    before = clf.settings_
    assert clf.partial_fit(*rows).settings_ == before
    assert before["n_interactions"] == len(clf.interactions_) > 0


def test_the_default_is_what_it_is_without_effort() -> None:
    plain = PLTClassifier(tree="auto", n_trees=1, rerank=False, n_jobs=1).fit(X, Y)
    assert bits(PLTClassifier(n_jobs=1).fit(X, Y)) == bits(plain)


@pytest.mark.parametrize("effort", ["fast", "high", "best"])
def test_an_effort_is_the_same_as_the_parameters_that_it_fills_in(effort: str) -> None:
    clf = PLTClassifier(effort=effort, n_jobs=1).fit(X, Y)
    named = {name: clf.settings_[name] for name in ("tree", "tree_params", "max_iter")}
    assert bits(PLTClassifier(**named, n_jobs=1).fit(X, Y)) == bits(clf)


def test_best_is_the_same_for_any_number_of_threads() -> None:
    rows = confusable()
    one, four = (PLTClassifier(effort="best", n_jobs=n).fit(*rows) for n in (1, 4))
    for a, b in zip(one.top_k(rows[0], 5), four.top_k(rows[0], 5), strict=True):
        np.testing.assert_array_equal(a, b)
    assert one.settings_ == four.settings_


def test_a_file_keeps_effort_and_settings(tmp_path) -> None:
    clf = PLTClassifier(effort="high", n_jobs=1).fit(X, Y)
    clf.save(tmp_path / "model.lt")
    opened = lt.load(tmp_path / "model.lt")
    assert (opened.effort, opened.n_trees, opened.rerank) == ("high", None, None)
    assert opened.settings_ == clf.settings_
    assert bits(opened) == bits(clf)


def test_a_clone_has_the_effort_and_not_what_it_filled_in() -> None:
    copy = clone(PLTClassifier(effort="best").fit(X, Y))
    assert copy.get_params() == PLTClassifier(effort="best").get_params()


def test_classes_and_taggers_have_efforts() -> None:
    clf = HSMClassifier(effort="high", n_jobs=1).fit(X, np.arange(X.shape[0]) % 7)
    assert len(clf.trees_) == 3
    texts, tags = ["green tea", "rye bread"] * 5, [["tea"], ["bread"]] * 5
    tagger = TextTagger(effort="high").fit(texts, tags)
    assert tagger.classifier_.settings_["tree"] == ["auto", "auto", "kmeans"]


def test_online_learning_keeps_the_settings_of_fit() -> None:
    clf = PLTClassifier(n_jobs=1).fit(X, Y)
    before = clf.settings_
    assert clf.partial_fit(X, Y).settings_ == before


def test_a_model_that_learned_online_only_has_no_settings() -> None:
    assert PLTClassifier(effort="best").partial_fit(X, Y).settings_ == {}


def test_forests_do_not_learn_online() -> None:
    clf = PLTClassifier(effort="high", n_jobs=1).fit(X, Y)
    with pytest.raises(ValueError, match="partial_fit requires one tree, but the model has 3"):
        clf.partial_fit(X, Y)


def test_checkpoints_do_not_change_the_best_model(tmp_path) -> None:
    rows = confusable()
    plain = PLTClassifier(effort="best", n_jobs=1).fit(*rows)
    stored = PLTClassifier(effort="best", n_jobs=1, checkpoint_dir=tmp_path / "parts").fit(*rows)
    np.testing.assert_array_equal(stored.top_k(rows[0], 5)[1], plain.top_k(rows[0], 5)[1])
    assert stored.settings_ == plain.settings_
