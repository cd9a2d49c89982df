import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from labeltree import LabelTree
from tests.trees.test_tree import nested_trees

FORMATS = [
    (LabelTree.to_json, LabelTree.from_json),
    (LabelTree.to_newick, LabelTree.from_newick),
    (LabelTree.to_dot, LabelTree.from_dot),
]


@pytest.mark.parametrize(("write", "read"), FORMATS)
@given(nested=nested_trees())
@settings(deadline=None, max_examples=50)
def test_a_written_tree_is_read_back(write, read, nested) -> None:
    tree = LabelTree.from_nested(nested)
    again = read(write(tree))
    assert again.to_nested() == tree.to_nested()
    assert again == tree


@pytest.mark.parametrize(("write", "read"), FORMATS)
@given(names=st.lists(st.text(min_size=1), min_size=3, max_size=3, unique=True))
@settings(deadline=None)
def test_any_names_are_kept(write, read, names) -> None:
    assume(set(names) != {"0", "1", "2"})  # text formats read these as label numbers
    tree = LabelTree.from_nested([[0, 1], 2]).with_names(names)
    again = read(write(tree))
    assert [again.names[j] for j in again.label if j >= 0] == [
        names[j] for j in tree.label if j >= 0
    ]


def test_nested_lists_are_kept() -> None:
    assert LabelTree.from_nested([[2, 0], 1]).to_nested() == [[2, 0], 1]


def test_newick_lengths_comments_and_inner_names_are_ignored() -> None:
    tree = LabelTree.from_newick("( (cat:0.5, 'sea ''fish''':1e-3)pets:1, [any] dog )root ;")
    assert tree.names == ("cat", "sea 'fish'", "dog")
    assert tree.to_nested() == [[0, 1], 2]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(a,b)", "is truncated"),
        ("(a,b;", "';' out of place at position 4"),
        ("(a,,b);", "',' out of place at position 3"),
        ("a,b;", "',' out of place at position 1"),
        ("(a,b));", r"'\)' out of place at position 5"),
        ("(a,'b);", "cannot be read at position 3"),
        ("(a,a);", "the name 'a' occurs twice"),
        ("", "is truncated"),
        ("();", r"'\)' out of place"),
    ],
)
def test_malformed_newick_is_refused(text, message) -> None:
    with pytest.raises(ValueError, match=message):
        LabelTree.from_newick(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("graph { a -- b }", "a dot tree must be a digraph"),
        ("digraph {\n a -> b\n c -> b\n}", "b has a second in line 3"),
        ("digraph {\n a -> b\n b -> a\n}", "no node has parent -1"),
        ("digraph {\n a -> b\n c -> d\n}", "both have parent -1"),
        ("digraph {\n a -> -> b\n}", "'->' out of place in line 2"),
        ("digraph {\n a -> b [x\n}", "attributes must end with \\], but those of line 2"),
        ("digraph {\n a -> ", "is truncated"),
        ("digraph {\n a ! b }", "cannot be read in line 2: '!'"),
    ],
)
def test_malformed_dot_is_refused(text, message) -> None:
    with pytest.raises(ValueError, match=message):
        LabelTree.from_dot(text)


def test_dot_chains_comments_and_attributes_are_read() -> None:
    text = """strict digraph "x" {
      rankdir=LR; // direction
      node [shape=box];
      top -> pets -> "the cat" [color=red];
      pets -> dog; /* a
      comment */
      top -> 7
      7 [label="a \\"fish\\""]
    }"""
    tree = LabelTree.from_dot(text)
    assert tree.names == ('a "fish"', "the cat", "dog")
    assert tree.to_nested() == [[1, 2], 0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "broken JSON: Expecting property name"),
        ("[1]", "does not"),
        ('{"format": "labeltree.tree", "version": 9}', "version 9; this release reads 1. Upgrade"),
        ('{"format": "labeltree.tree", "version": 1, "parent": 3}', '"parent" of a tree file'),
        (
            '{"format": "labeltree.tree", "version": 1, "parent": [-1], "label": [0.5]}',
            '"label" of a tree file',
        ),
        (
            '{"format": "labeltree.tree", "version": 1, "parent": [-1], "label": [0], "names": 1}',
            '"names" of a tree file',
        ),
        (
            '{"format": "labeltree.tree", "version": 1, "parent": [-1, 0], '
            '"label": [-1, 9223372036854775808]}',
            "label lies in -1..2147483647, but holds 9223372036854775808",
        ),
    ],
)
def test_malformed_json_is_refused(text, message) -> None:
    with pytest.raises(ValueError, match=message):
        LabelTree.from_json(text)


def test_a_long_version_is_named_by_its_size() -> None:
    with pytest.raises(ValueError, match="format version") as caught:
        LabelTree.from_json(f'{{"format": "labeltree.tree", "version": {"1" * 300}}}')
    assert len(str(caught.value)) < 200


def test_names_that_json_cannot_represent_are_refused() -> None:
    with pytest.raises(TypeError, match="JSON requires names that are strings or numbers"):
        LabelTree.from_nested([0, 1]).with_names([b"a", b"b"]).to_json()


@pytest.mark.parametrize("name", ["tree.json", "tree.nwk", "tree.dot.gz", "my.tree.json.zst"])
def test_a_saved_tree_is_loaded_back(tmp_path, name) -> None:
    tree = LabelTree.from_nested([["cat", "dog"], "sea fish"])
    tree.save(tmp_path / name)
    assert LabelTree.load(tmp_path / name) == tree


def test_an_unknown_suffix_is_refused(tmp_path) -> None:
    with pytest.raises(
        ValueError, match=r"a tree file ends in \.json, .* but .*tree\.txt' does not"
    ):
        LabelTree.from_nested([0, 1]).save(tmp_path / "tree.txt")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"{", "tree.json: broken JSON: Expecting property name"),
        (b"\xff", "tree.json: a tree file must be UTF-8"),
    ],
)
def test_the_error_for_a_malformed_file_names_it(tmp_path, content, message) -> None:
    (tmp_path / "tree.json").write_bytes(content)
    with pytest.raises(ValueError, match=message):
        LabelTree.load(tmp_path / "tree.json")


def test_a_missing_file_is_not_found(tmp_path) -> None:
    with pytest.raises(FileNotFoundError):
        LabelTree.load(tmp_path / "tree.json")
