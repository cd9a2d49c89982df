"""Trees of user-provided hierarchies."""

from __future__ import annotations

import numpy as np
import pytest

import labeltree as lt
from labeltree.trees import Hierarchy, from_hierarchy
from tests.animals import LABELS, PAIRS

TURTLE = """
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix e: <http://example.org/> .
e:dog skos:prefLabel "dog"@en, "Hund"@de ; skos:broader e:animal ; skos:notation "1.2" .
e:cat skos:prefLabel "cat"@en, "Katze"@de ; skos:broader e:animal .
e:poodle skos:prefLabel "poodle"@en .
e:dog skos:narrower e:poodle .
e:animal skos:prefLabel "animal"@en .
"""

# Trees ------------------------------------------------------------------------------------------


def test_the_tree_follows_the_hierarchy_and_keeps_the_order_of_labels() -> None:
    tree = from_hierarchy(PAIRS, LABELS)
    assert tree.names == tuple(LABELS)
    assert tree.to_newick() == "(((cat,(dog,poodle,boxer)),cow),oak);"


def test_labels_of_rows_are_matched_by_name_or_number() -> None:
    assert from_hierarchy(PAIRS, [["cow"], ["cat", "dog"]]).names == ("cat", "cow", "dog")
    Y = np.eye(3, dtype=np.uint8)
    tree = from_hierarchy([("a", "0"), ("a", "2"), ("b", "1")], Y)
    assert tree.names is None
    assert tree.to_nested() == [[0, 2], 1]


def test_missing_labels_are_placed_under_the_root_with_a_warning() -> None:
    with pytest.warns(UserWarning, match="1 of 3 labels are not in the hierarchy, such as 'tea'"):
        tree = from_hierarchy(PAIRS, ["cat", "dog", "tea"])
    assert tree.to_newick() == "((cat,dog),tea);"


def test_the_first_of_several_parents_is_kept_with_a_warning() -> None:
    with pytest.warns(UserWarning, match="concepts with several parents: 1, such as 'cat'"):
        hierarchy = Hierarchy([*PAIRS, ("animal", "cat")])
    assert hierarchy.ancestors("cat") == ["pet", "animal"]


def test_collapse_equals_the_function_of_the_same_name() -> None:
    Y = [["poodle", "boxer", "dog", "cat"], ["cow"], ["oak"]]
    plain = from_hierarchy(PAIRS, Y)
    assert from_hierarchy(PAIRS, Y, collapse=True) == lt.trees.collapse(plain, Y)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (["tea", "jam"], "none is; an example of a label is 'tea', of a concept 'animal'"),
        (["cat", "cat"], "'cat' and 'cat' are both 'cat'"),
    ],
)
def test_labels_that_do_not_form_a_tree_are_refused(labels, message) -> None:
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
def test_tables_hold_parents_or_paths(text, separator, tmp_path) -> None:
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
def test_errors_for_malformed_files_name_file_and_rule(name, text, message, tmp_path) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(ValueError, match=message):
        Hierarchy.load(tmp_path / name)


def test_skos_concepts_are_found_by_identifier_name_and_notation(tmp_path) -> None:
    (tmp_path / "t.ttl").write_text(TURTLE)
    hierarchy = Hierarchy.load(tmp_path / "t.ttl")
    dog = "http://example.org/dog"
    assert [hierarchy.find(name) for name in (dog, "dog", "Hund", "1.2", "tea")] == [dog] * 4 + [
        None
    ]
    assert hierarchy.tree(["Hund", "Katze", "poodle"]).to_nested() == [1, [0, 2]]
    assert Hierarchy.load(tmp_path / "t.ttl", language="en").find("Hund") is None


def test_skos_as_xml_gives_the_same_hierarchy(tmp_path) -> None:
    rdflib = pytest.importorskip("rdflib")
    graph = rdflib.Graph().parse(data=TURTLE, format="turtle")
    (tmp_path / "t.ttl").write_text(TURTLE)
    (tmp_path / "t.rdf").write_text(graph.serialize(format="xml"))
    ancestors = [
        Hierarchy.load(tmp_path / name).ancestors("http://example.org/poodle")
        for name in ("t.ttl", "t.rdf")
    ]
    assert ancestors[0] == ancestors[1] == ["http://example.org/dog", "http://example.org/animal"]


def test_an_ambiguous_name_is_refused_when_it_is_used() -> None:
    hierarchy = Hierarchy([("top", "a"), ("top", "b")], names=[("a", "bank"), ("b", "bank")])
    with pytest.raises(ValueError, match="'bank' is 'a' and 'b'; use these names"):
        hierarchy.find("bank")
