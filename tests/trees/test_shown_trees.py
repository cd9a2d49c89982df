"""Trees as text and as HTML: bounded in size, safe, and without the parts that do not fit."""

import itertools
import re
import xml.etree.ElementTree as ET
from html.parser import HTMLParser

import numpy as np
import pytest

from labeltree import LabelTree, trees

PETS = LabelTree.from_nested([["cat", "dog"], "fish"])
SVG = "{http://www.w3.org/2000/svg}"


def chain(n_labels: int) -> LabelTree:
    """The tree in which each inner node has one leaf and one inner node."""
    parent, label = [-1], [-1]
    for j in range(n_labels - 1):
        at = len(parent) - 1
        parent += [at, at]
        label += [j, -1]
    label[-1] = n_labels - 1
    return LabelTree.from_parents(parent, label)


LARGE = {
    "star": LabelTree.from_nested(list(range(5000))),
    "complete": trees.complete(20_000, 2),
    "huffman": trees.huffman((1e6 / np.arange(1, 10_001)).astype(int), 3),
    "chain": chain(3000),
}


def svg_of(tree: LabelTree) -> ET.Element:
    return ET.fromstring(re.search("<svg.*</svg>", tree._repr_html_(), re.DOTALL)[0])


def boxes_of(tree: LabelTree) -> dict[str, tuple[float, float, float]]:
    """Return left end, top and width of each box, by its title."""
    return {
        box.find(f"{SVG}title").text: tuple(float(box.get(key)) for key in ("x", "y", "width"))
        for box in svg_of(tree).findall(f"{SVG}svg")
    }


def texts_of(tree: LabelTree) -> list[str]:
    return [text.text for text in svg_of(tree).iter(f"{SVG}text")]


# Text --------------------------------------------------------------------------------------------


def test_a_small_tree_is_printed_whole():
    assert str(PETS).splitlines() == [
        "LabelTree: 3 labels, 5 nodes, depth 2, at most 2 children per node",
        "├─ 2 labels",
        "│  ├─ cat",
        "│  └─ dog",
        "└─ fish",
    ]


def test_repr_stays_on_one_line():
    assert repr(PETS) == "LabelTree(n_labels=3, n_nodes=5, depth=2, max_degree=2)"


def test_labels_without_names_are_printed_by_number():
    assert str(LabelTree.from_nested([1, 0])).splitlines()[1:] == ["├─ label 1", "└─ label 0"]


def test_a_tree_of_one_label_is_printed_as_its_label():
    tree = LabelTree.from_nested(["cat"])
    assert str(tree).splitlines() == ["LabelTree: 1 label, 1 node", "└─ cat"]


@pytest.mark.parametrize("name", LARGE)
def test_a_large_tree_is_printed_in_a_few_lines_with_ellipses(name: str):
    lines = str(LARGE[name]).splitlines()
    assert len(lines) <= 41
    assert max(map(len, lines)) <= 100
    assert "…" in lines[-1]


def test_many_children_are_counted_in_the_last_line():
    last = str(LARGE["star"]).splitlines()[-1]
    assert last.startswith("└─ … 4,994 more labels: 6, 7, 8, ")


def test_the_printed_labels_of_siblings_add_up():
    tops = [line for line in str(LARGE["complete"]).splitlines()[1:] if line[0] in "├└"]
    assert sum(int(line.split()[1].replace(",", "")) for line in tops) == 20_000


def test_names_with_line_breaks_stay_on_one_line():
    tree = LabelTree.from_nested(["a\nb", "c\x1b[31m"])
    assert str(tree).splitlines()[1:] == ["├─ a b", "└─ c�[31m"]


# HTML --------------------------------------------------------------------------------------------


def test_box_widths_are_proportional_to_the_number_of_labels():
    boxes = boxes_of(PETS)
    assert boxes["3 labels (node 0, depth 0): fish, cat, dog"] == (0.0, 0.0, 899.0)
    assert boxes["2 labels (node 1, depth 1): cat, dog"] == (0.0, 36.0, 599.0)
    assert boxes["dog (depth 2)"] == (300.0, 72.0, 299.0)
    assert boxes["fish (depth 1)"] == (600.0, 36.0, 299.0)


def test_boxes_have_names_and_counts():
    assert texts_of(PETS) == [
        "fish, cat, dog",
        "3 labels",
        "cat, dog",
        "2 labels",
        "cat",
        "dog",
        "fish",
    ]


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes.update(name for name, _ in attrs)


def test_names_cannot_add_tags_or_attributes():
    names = ["<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "</title>&lt;", "d"]
    html = LabelTree.from_nested([names[:2], names[2:]])._repr_html_()
    parsed = _Tags()
    parsed.feed(html)
    assert parsed.tags == {"div", "svg", "title", "rect", "text"}
    assert not {name for name in parsed.attributes if name.startswith("on") or name == "src"}
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html


@pytest.mark.parametrize("name", LARGE)
def test_a_large_tree_has_at_most_300_boxes(name: str):
    boxes = boxes_of(LARGE[name])
    assert 2 <= len(boxes) <= 300
    assert len(LARGE[name]._repr_html_()) < 100_000


@pytest.mark.parametrize("name", LARGE)
def test_boxes_of_a_level_do_not_overlap(name: str):
    spans = sorted((y, x, x + width) for x, y, width in boxes_of(LARGE[name]).values())
    for (y, _, end), (next_y, start, _) in itertools.pairwise(spans):
        assert next_y > y or start >= end - 0.1


def test_children_too_small_to_draw_share_a_box():
    assert "5,000 labels (depth 1): 0, 1, 2, 3, 4, 5, …" in boxes_of(LARGE["star"])
    assert "Gray: several nodes that are too small to draw." in LARGE["star"]._repr_html_()


def test_a_single_label_beside_a_large_node_can_be_seen():
    boxes = boxes_of(LARGE["chain"])
    assert boxes["label 0 (depth 1)"] == (0.0, 36.0, 7.0)
    assert boxes["label 1 (depth 2)"] == (8.0, 72.0, 7.0)


def test_the_caption_says_that_levels_are_missing():
    html = LARGE["chain"]._repr_html_()
    assert "8 of 2999 levels below the root are shown." in html
    assert "Dark edge: children are not shown." in html
    assert "levels below the root" not in PETS._repr_html_()


def test_long_names_are_cut_in_the_middle_of_a_box_and_whole_in_its_title():
    name = "scipy." + "very_long_module_name." * 3 + "linalg"
    tree = LabelTree.from_nested([name, *"abcdef"])
    shown = texts_of(tree)[2]
    assert shown.startswith("scipy.")
    assert shown.endswith("alg")
    assert "…" in shown
    assert f"{name} (depth 1)" in boxes_of(tree)


def test_a_tree_of_one_label_is_one_box():
    assert texts_of(LabelTree.from_nested(["cat"])) == ["cat"]
