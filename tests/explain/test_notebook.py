"""Explanations as HTML: the same figures as the text, escaped and bounded in size."""

import re
from html.parser import HTMLParser

import numpy as np
import pytest

from labeltree import LabelTree, PLTClassifier

TEAS = ["wet", "dry", "sweet"]


def explained(label="cake", top_features=5, names=TEAS, **options):
    tree = LabelTree.from_nested([["tea", label], "bread"])
    X = [[1, 0, 0], [1, 0, 1], [0, 1, 0], [0, 1, 1]]
    clf = PLTClassifier(**{"tree": tree, **options})
    clf.fit(X, [["tea"], ["tea", label], ["bread"], ["bread"]])
    return clf.explain([1, 0, 1], label, top_features, feature_names=names)


class _Page(HTMLParser):
    """Collects the text of table cells, and which tags and attributes there are."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.tags: list[str] = []
        self.attributes: set[str] = set()
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes.update(name for name, _ in attrs)
        if tag == "tr":
            self.rows.append([])
        elif tag == "td":
            self.rows[-1].append("")

    def handle_data(self, data: str) -> None:
        if self.rows and self.rows[-1]:
            self.rows[-1][-1] += data


def test_the_table_has_the_path_contributions_and_siblings() -> None:
    why = explained()
    rows = _Page(why._repr_html_()).rows
    first, last = why.steps[1], why.steps[2]
    assert ["1. node 1, 2 labels: tea, cake", *figures(first)] in rows
    assert ["2. node 4, 1 label: cake", *figures(last)] in rows
    (sibling,) = first.siblings
    assert ["sibling node 2, 1 label: bread", *figures(sibling)] in rows
    for entry in last.evidence.contributions:
        assert [entry.name, f"{entry.contribution:+.3f}", ""] in rows
    assert ["bias", f"{last.evidence.bias:+.3f}", ""] in rows
    assert ["log-odds, the sum", f"{last.evidence.log_odds:+.3f}"] in rows


def figures(branch) -> list[str]:
    return [f"{branch.estimate:.4f}", f"{branch.product:.4f}"]


def test_bars_are_proportional_to_contributions_and_start_at_the_middle() -> None:
    why = explained(tree="star", names=None)
    values = [entry.contribution for entry in why.steps[-1].evidence.contributions]
    values.append(why.steps[-1].evidence.bias)
    bars = re.findall(r'<rect x="([\d.]+)" width="([\d.]+)" height="12" fill', why._repr_html_())
    bars = [(float(x), float(width)) for x, width in bars if width != "1"]
    longest = max(map(abs, values))
    assert [width for _, width in bars] == pytest.approx(
        [abs(value) / longest * 130 for value in values], abs=0.06
    )
    for (x, width), value in zip(bars, values, strict=True):
        assert (x if value >= 0 else x + width) == pytest.approx(130, abs=0.11)


def test_names_cannot_add_tags_or_attributes() -> None:
    bad = "<img src=x onerror=alert(1)>"
    page = _Page(explained(bad, names=[f'">{bad}', bad, bad])._repr_html_())
    assert set(page.tags) == {"div", "b", "table", "tbody", "tr", "td", "svg", "rect"}
    assert not {name for name in page.attributes if name.startswith("on") or name == "src"}


def test_only_a_calibrated_model_is_called_calibrated() -> None:
    assert '<div style="opacity:0.75;">not calibrated with' in explained()._repr_html_()
    assert "calibrated" not in explained(loss="logistic")._repr_html_()


def test_each_tree_has_a_table_and_only_the_first_is_open() -> None:
    html = explained(tree="random", n_trees=3)._repr_html_()
    assert html.count("<table") == 3
    assert re.findall("<details[^>]*>", html) == ["<details open>", "<details>", "<details>"]
    assert "Tree 2 of 3: probability" in html


def test_more_than_ten_trees_are_counted() -> None:
    html = explained(tree="random", n_trees=12)._repr_html_()
    assert html.count("<table") == 10
    assert "… 2 more trees" in html


def test_a_long_path_is_cut_after_the_root() -> None:
    nested: list[object] = [0, 1]
    for label in range(2, 60):
        nested = [label, nested]
    clf = PLTClassifier(tree=LabelTree.from_nested(nested)).fit(np.eye(60), np.eye(60, dtype=int))
    why = clf.explain(np.eye(60)[0], 0)
    titles = [row[0] for row in _Page(why._repr_html_()).rows]
    assert len(why.steps) == 60
    assert "… 36 more nodes" in titles
    assert [title.split(".")[0] for title in titles if ". node" in title] == [
        str(depth) for depth in range(37, 60)
    ]


def test_features_beyond_twenty_per_node_are_summed() -> None:
    rng = np.random.default_rng(0)
    X = rng.random((40, 60))
    why = PLTClassifier(tree="star").fit(X, (X[:, :2] > 0.5).astype(int)).explain(X[0], 0, 100)
    contributions = why.steps[-1].evidence.contributions
    rest = sum(entry.contribution for entry in contributions[20:])
    row = [f"{len(contributions) - 20} other features", f"{rest:+.3f}", ""]
    assert row in _Page(why._repr_html_()).rows


def test_repr_is_short() -> None:
    why = explained()
    start = f"Explanation(label='cake', probability={why.probability:.4f}, "
    assert repr(why) == start + "n_trees=1, n_nodes=3)"
