"""Trees of the user's own hierarchy, and the probabilities of what stands above labels."""

from __future__ import annotations

import json
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression

import labeltree as lt
from labeltree import PLTClassifier, TextTagger, ancestor_proba
from labeltree.cli import main
from labeltree.trees import Hierarchy, from_hierarchy

PAIRS = [
    ("animal", "pet"),
    ("pet", "cat"),
    ("pet", "dog"),
    ("dog", "poodle"),
    ("dog", "boxer"),
    ("animal", "cow"),
    ("plant", "oak"),
]
LABELS = ["boxer", "cat", "cow", "dog", "oak", "poodle"]
TURTLE = """
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix e: <http://example.org/> .
e:dog skos:prefLabel "dog"@en, "Hund"@de ; skos:broader e:animal ; skos:notation "1.2" .
e:cat skos:prefLabel "cat"@en, "Katze"@de ; skos:broader e:animal .
e:poodle skos:prefLabel "poodle"@en .
e:dog skos:narrower e:poodle .
e:animal skos:prefLabel "animal"@en .
"""


def fitted(*, collapse: bool = False, **options) -> tuple[PLTClassifier, np.ndarray]:
    rng = np.random.default_rng(0)
    Y = [[LABELS[j] for j in np.flatnonzero(row)] for row in rng.random((80, 6)) < 0.3]
    X = rng.random((80, 5)).astype(np.float32)
    tree = from_hierarchy(PAIRS, LABELS)
    if collapse:
        tree = lt.LabelTree.from_nested(["oak", "cow", "cat", "boxer", "dog", "poodle"])
        Y = [[*labels, "oak"] for labels in Y]
    return PLTClassifier(tree=tree, n_jobs=1, **options).fit(X, Y), X


def node_probabilities(clf: PLTClassifier, x: np.ndarray, t: int = 0) -> list[float]:
    """The product along the path to every node, asked one by one."""
    model, tree = clf.model_, clf.trees_[t]
    row = lt.data.as_features(x[None] / np.linalg.norm(x))
    products = [float(model.child_estimates(t, -1, row)[0])]
    for v in range(1, tree.n_nodes):
        parent = int(tree.parent[v])
        own = model.child_estimates(t, parent, row)
        products.append(products[parent] * float(own[v - tree.children(parent).start]))
    return products


# Trees ------------------------------------------------------------------------------------------


def test_the_tree_is_that_of_the_hierarchy_with_labels_in_their_order() -> None:
    tree = from_hierarchy(PAIRS, LABELS)
    assert tree.names == tuple(LABELS)
    assert tree.to_newick() == "(((cat,(dog,poodle,boxer)),cow),oak);"


def test_rows_name_the_labels_by_name_or_by_number() -> None:
    assert from_hierarchy(PAIRS, [["cow"], ["cat", "dog"]]).names == ("cat", "cow", "dog")
    Y = np.eye(3, dtype=np.uint8)
    tree = from_hierarchy([("a", "0"), ("a", "2"), ("b", "1")], Y)
    assert tree.names is None
    assert tree.to_nested() == [[0, 2], 1]


def test_labels_that_are_missing_hang_under_the_root_with_a_warning() -> None:
    with pytest.warns(UserWarning, match="1 of 3 labels are not in the hierarchy, such as 'tea'"):
        tree = from_hierarchy(PAIRS, ["cat", "dog", "tea"])
    assert tree.to_newick() == "((cat,dog),tea);"


def test_the_first_of_several_parents_is_kept_with_a_warning() -> None:
    with pytest.warns(UserWarning, match="1 concepts have several parents, such as 'cat'"):
        hierarchy = Hierarchy([*PAIRS, ("animal", "cat")])
    assert hierarchy.ancestors("cat") == ["pet", "animal"]


def test_a_collapse_is_that_of_the_library() -> None:
    Y = [["poodle", "boxer", "dog", "cat"], ["cow"], ["oak"]]
    plain = from_hierarchy(PAIRS, Y)
    assert from_hierarchy(PAIRS, Y, collapse=True) == lt.trees.collapse(plain, Y)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (["tea", "jam"], "no label is in the hierarchy; labels are such as 'tea'"),
        (["cat", "cat"], "'cat' and 'cat' are both 'cat'"),
    ],
)
def test_labels_that_make_no_tree_are_refused(labels, message) -> None:
    with pytest.raises(ValueError, match=message):
        from_hierarchy(PAIRS, labels)


def test_cycles_are_refused_by_name() -> None:
    with pytest.raises(ValueError, match="'a' is its own ancestor"):
        Hierarchy([("a", "b"), ("b", "a")])


# Files ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "separator"),
    [
        ("cat\tpet\ndog\tpet\n\npoodle\tdog\npet\t\n", None),
        ("cat\tpet\npoodle\tdog\tpet\n", None),
        ("cat\tpet\ndog\tpet/dog\npoodle\tpet / dog\n", "/"),
    ],
)
def test_tables_have_parents_or_paths(text, separator, tmp_path) -> None:
    (tmp_path / "t.tsv").write_text(text)
    hierarchy = Hierarchy.load(tmp_path / "t.tsv", separator=separator)
    assert {name: hierarchy.ancestors(name) for name in ("cat", "dog", "poodle", "pet")} == {
        "cat": ["pet"],
        "dog": ["pet"],
        "poodle": ["dog", "pet"],
        "pet": [],
    }


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("t.tsv", "cat\tpet\ndog", "line 2: a line is child, tab, parent, but there is no tab"),
        ("t.tsv", "\tpet", "line 1: a line is child, tab, parent, but one of them is empty"),
        ("t.tsv", "", "there is no child with a parent"),
        ("t.ttl", "e:dog skos:broader", "t.ttl: not turtle"),
        ("t.rdf", "<a", "t.rdf: not xml"),
        ("t.ttl", "<http://a> <http://b> <http://c> .", "no skos:broader or skos:narrower"),
    ],
)
def test_broken_files_are_named_with_the_rule(name, text, message, tmp_path) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(ValueError, match=message):
        Hierarchy.load(tmp_path / name)


def test_skos_concepts_go_by_identifier_name_and_notation(tmp_path) -> None:
    (tmp_path / "t.ttl").write_text(TURTLE)
    hierarchy = Hierarchy.load(tmp_path / "t.ttl")
    dog = "http://example.org/dog"
    assert [hierarchy.find(name) for name in (dog, "dog", "Hund", "1.2", "tea")] == [dog] * 4 + [
        None
    ]
    assert hierarchy.tree(["Hund", "Katze", "poodle"]).to_nested() == [1, [0, 2]]
    assert Hierarchy.load(tmp_path / "t.ttl", language="en").find("Hund") is None


def test_skos_as_xml_says_the_same(tmp_path) -> None:
    rdflib = pytest.importorskip("rdflib")
    graph = rdflib.Graph().parse(data=TURTLE, format="turtle")
    (tmp_path / "t.ttl").write_text(TURTLE)
    (tmp_path / "t.rdf").write_text(graph.serialize(format="xml"))
    ways = [
        Hierarchy.load(tmp_path / name).ancestors("http://example.org/poodle")
        for name in ("t.ttl", "t.rdf")
    ]
    assert ways[0] == ways[1] == ["http://example.org/dog", "http://example.org/animal"]


def test_a_name_of_two_concepts_is_refused_where_it_is_used() -> None:
    hierarchy = Hierarchy([("top", "a"), ("top", "b")], names=[("a", "bank"), ("b", "bank")])
    with pytest.raises(ValueError, match="'bank' is 'a' and 'b'; use these names"):
        hierarchy.find("bank")


# Probabilities ------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [{}, {"loss": "logistic"}])
def test_a_concept_has_the_probability_of_its_node(options) -> None:
    clf, X = fitted(**options)
    concepts, found = ancestor_proba(clf, X[:9], Hierarchy(PAIRS), threshold=0.0)
    tree, curve = clf.tree_, clf.model_.calibration.curve
    nodes = {"dog": int(tree.parent[tree.leaf(3)]), "pet": int(tree.parent[tree.leaf(1)])}
    nodes |= {"animal": int(tree.parent[tree.leaf(2)]), "plant": tree.leaf(4)}
    assert set(concepts) == set(nodes)
    for i, x in enumerate(X[:9]):
        products = node_probabilities(clf, x)
        expected = np.array([products[nodes[concept]] for concept in concepts])
        expected = expected if curve is None else curve(expected)
        np.testing.assert_allclose(found.toarray()[i], expected, rtol=1e-5)


def test_a_forest_answers_with_the_mean() -> None:
    tree = from_hierarchy(PAIRS, LABELS)
    one, X = fitted()
    two = PLTClassifier(tree=[tree, tree], row_sample=0.7, n_jobs=1).fit(X, one.predict(X, 0.2))
    two.classes_ = one.classes_
    concepts, found = ancestor_proba(two, X[:5], Hierarchy(PAIRS), threshold=0.0)
    v = int(tree.parent[tree.leaf(3)])
    means = [np.mean([node_probabilities(two, x, t)[v] for t in (0, 1)]) for x in X[:5]]
    expected = two.model_.calibration.curve(np.array(means))
    np.testing.assert_allclose(found.toarray()[:, concepts.index("dog")], expected, rtol=1e-5)


def test_a_concept_without_a_node_is_any_of_its_parts() -> None:
    clf, X = fitted(collapse=True, loss="logistic")
    concepts, found = ancestor_proba(clf, X[:5], Hierarchy(PAIRS), threshold=0.0)
    labels = clf.predict_proba(X[:5]).toarray()
    root = [node_probabilities(clf, x)[0] for x in X[:5]]
    parts = labels[:, [clf.classes_.tolist().index(name) for name in ("dog", "boxer", "poodle")]]
    expected = root * (1 - np.prod(1 - parts / np.array(root)[:, None], axis=1))
    np.testing.assert_allclose(found.toarray()[:, concepts.index("dog")], expected, rtol=1e-4)


@settings(deadline=None, max_examples=20)
@given(st.integers(0, 2**31), st.booleans())
def test_nothing_is_more_probable_than_what_stands_above(seed, is_collapsed) -> None:
    rng = np.random.default_rng(seed)
    n_labels = 12
    pairs = [(f"c{rng.integers(0, i)}" if i else "top", f"c{i}") for i in range(8)]
    pairs += [(f"c{rng.integers(0, 8)}", f"l{j}") for j in range(n_labels)]
    hierarchy = Hierarchy(pairs)
    Y = [[f"l{j}" for j in np.flatnonzero(row)] for row in rng.random((40, n_labels)) < 0.2]
    Y.append([f"l{j}" for j in range(n_labels)])
    X = rng.random((41, 6)).astype(np.float32)
    tree = from_hierarchy(hierarchy, Y, collapse=is_collapsed)
    clf = PLTClassifier(tree=tree, n_jobs=1).fit(X, Y)
    concepts, found = ancestor_proba(clf, X[:4], hierarchy, threshold=0.0)
    below = {c: found.toarray()[:, i] for i, c in enumerate(concepts)}
    labels = clf.predict_proba(X[:4]).toarray()
    for concept, p in below.items():
        for above in hierarchy.ancestors(concept):
            assert (below[above] >= p).all()
    for j, label in enumerate(clf.classes_.tolist()):
        assert (below[hierarchy.ancestors(label)[0]] >= labels[:, j] - 1e-6).all()


@given(st.floats(0.05, 0.95))
@settings(deadline=None, max_examples=15)
def test_a_threshold_leaves_out_just_what_is_below_it(threshold) -> None:
    clf, X = fitted()
    everything = ancestor_proba(clf, X, Hierarchy(PAIRS), threshold=0.0).probabilities.toarray()
    found = ancestor_proba(clf, X, Hierarchy(PAIRS), threshold=threshold).probabilities.toarray()
    kept = everything >= np.float32(threshold)
    np.testing.assert_array_equal(found, np.where(kept, everything, 0))


def test_labels_that_are_numbers_have_ancestors_too() -> None:
    pairs = [("a", "0"), ("a", "2"), ("b", "1")]
    Y = np.eye(3, dtype=np.uint8).repeat(3, axis=0)
    clf = PLTClassifier(tree=from_hierarchy(pairs, Y), n_jobs=1).fit(Y, Y)
    concepts, found = ancestor_proba(clf, Y[[0, 3]], Hierarchy(pairs))
    assert [[concepts[j] for j in row.nonzero()[0]] for row in found.toarray()] == [["a"], ["b"]]


def test_nodes_of_any_kind_are_asked() -> None:
    Y = [["poodle"], ["boxer"], ["cat"]] * 6
    X = np.eye(3).tolist() * 6
    tree = from_hierarchy(PAIRS, Y)
    clf = PLTClassifier(tree=tree, node_estimator=LogisticRegression(C=100.0)).fit(X, Y)
    concepts, found = ancestor_proba(clf, X[:3], Hierarchy(PAIRS))
    dogs = found.toarray()[:, concepts.index("dog")]
    assert (dogs > 0.5).tolist() == [True, True, False]


def test_a_tree_that_does_not_follow_the_hierarchy_is_refused() -> None:
    X = np.eye(3)
    clf = PLTClassifier(tree=lt.LabelTree.from_nested([["poodle", "cow"], "boxer"]), n_jobs=1)
    clf.fit(X, [["poodle"], ["cow"], ["boxer"]])
    with pytest.raises(ValueError, match="labels below 'dog' are mixed with others"):
        ancestor_proba(clf, X, Hierarchy(PAIRS))


# The commands -----------------------------------------------------------------------------------


@pytest.fixture
def files(tmp_path) -> dict[str, str]:
    rows = [("curly bark", ["poodle"]), ("short bark", ["boxer"]), ("meow", ["cat"])] * 8
    rows += [("moo", ["cow"]), ("green leaf", ["oak"]), ("sip", ["tea"])] * 8
    lines = [json.dumps({"text": text, "tags": tags}) for text, tags in rows]
    (tmp_path / "docs.jsonl").write_text("\n".join(lines))
    (tmp_path / "t.tsv").write_text("".join(f"{below}\t{above}\n" for above, below in PAIRS))
    names = {"docs": "docs.jsonl", "taxonomy": "t.tsv", "model": "model.lt"}
    return {name: str(tmp_path / file) for name, file in names.items()}


def test_the_commands_train_with_a_hierarchy_and_answer_with_ancestors(files, capsys) -> None:
    train = ["train", files["docs"], "-o", files["model"], "--hierarchy", files["taxonomy"]]
    assert main([*train, "--no-holdout"]) == 0
    said = capsys.readouterr().err
    assert said == (
        "labeltree: 1 of 6 labels are not in the hierarchy, such as 'tea'; they hang under the "
        "root\n"
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = from_hierarchy(files["taxonomy"], sorted({*LABELS, "tea"} - {"dog"}))
    tagger = lt.load(files["model"])
    assert isinstance(tagger, TextTagger)
    assert tagger.trees_ == [expected]
    ask = ["predict", files["model"], files["docs"], "--threshold", "0.4"]
    assert main([*ask, "--ancestors", files["taxonomy"], "--output-format", "jsonl"]) == 0
    first = json.loads(capsys.readouterr().out.splitlines()[0])
    assert first["labels"][-1] == "poodle"
    assert sorted(first["labels"][:-1]) == ["animal", "dog", "pet"]
    assert first["probabilities"] == sorted(first["probabilities"], reverse=True)


def test_collapse_goes_with_a_hierarchy_only(files, capsys) -> None:
    train = ["train", files["docs"], "-o", files["model"]]
    assert main([*train, "--collapse"]) == 2
    assert main([*train, "--hierarchy", files["taxonomy"], "--tree", "kmeans"]) == 2
    assert main([*train, "-q", "--hierarchy", files["taxonomy"], "--collapse"]) == 0


def test_tune_keeps_the_hierarchy_and_writes_it_down(files, capsys) -> None:
    tune = ["tune", files["docs"], "-q", "--dry-run", "--n-settings", "2"]
    assert main([*tune, "--hierarchy", files["taxonomy"]]) == 0
    assert f"--hierarchy {files['taxonomy']} -o" in capsys.readouterr().out
