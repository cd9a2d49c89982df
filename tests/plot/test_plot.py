"""Plots show the right bars, lines, boxes and texts."""

import subprocess
import sys

import numpy as np
import pytest

from labeltree import LabelTree, PLTClassifier, cost, plot

pytest.importorskip("matplotlib")

PETS = LabelTree.from_nested([["cat", "dog"], "fish"])


def texts(figure) -> list[str]:
    return [text.get_text() for text in figure.axes[0].texts]


def boxes(figure) -> list[tuple[float, float, float]]:
    """Return left end, top and height of each box."""
    return [
        (round(box.get_x(), 6), round(box.get_y(), 6), round(box.get_height(), 6))
        for box in figure.axes[0].patches
    ]


# Costs -------------------------------------------------------------------------------------------


def test_bars_are_as_long_as_the_costs_and_the_cheapest_is_on_top():
    axes = plot.cost_bars([("huffman", 24.0), ("cheapest", 18.0)]).axes[0]
    assert [bar.get_width() for bar in axes.patches] == [18.0, 24.0]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["cheapest", "huffman"]
    assert axes.yaxis_inverted()


def test_bars_show_their_ratio_to_the_bound():
    figure = plot.cost_bars({"huffman": 24.0}, lower_bound=16.0)
    assert texts(figure) == ["24.0 (1.50 × bound)", "lower bound 16.0"]
    assert list(figure.axes[0].lines[0].get_xdata()) == [16.0, 16.0]


def test_bars_without_bound_have_no_line():
    figure = plot.cost_bars({"huffman": 24.0})
    assert texts(figure) == ["24.0"]
    assert len(figure.axes[0].lines) == 0


def test_costs_far_apart_use_a_labeled_logarithmic_axis():
    axes = plot.cost_bars({"star": 4000.0, "huffman": 24.0}).axes[0]
    assert axes.get_xscale() == "log"
    assert axes.get_xlim()[0] == 1.0
    assert "log scale" in axes.get_xlabel()


def test_an_empty_mapping_of_costs_is_refused():
    with pytest.raises(ValueError, match="at least one tree, but is empty"):
        plot.cost_bars({})


def test_each_builder_gets_a_line_over_its_sorted_arities():
    axes = plot.cost_against_arity({"a": [(3, 13.0), (2, 14.0)], "b": [(2, 20.0)]}).axes[0]
    assert [line.get_xydata().tolist() for line in axes.lines] == [[[2, 14], [3, 13]], [[2, 20]]]
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["a", "b"]
    assert [label.get_text() for label in axes.get_xticklabels()] == ["2", "3"]


def test_the_cheapest_arity_is_named():
    assert texts(plot.cost_against_arity([(2, 14.0), (3, 13.0), (4, 15.0)])) == ["13.0 at arity 3"]


def test_the_cost_axis_starts_at_zero():
    figure = plot.cost_against_arity([(2, 14.0), (3, 13.0)], lower_bound=11.0)
    assert figure.axes[0].get_ylim()[0] == 0.0
    assert texts(figure)[1] == "lower bound 11.0"


def test_an_empty_list_of_points_is_refused():
    with pytest.raises(ValueError, match="at least one"):
        plot.cost_against_arity([])


def test_leaf_costs_are_shares_over_labels_and_over_rows():
    # D is 4, 4 and 2, all multiples of 2, so that there are two bins.
    axes = plot.leaf_costs(PETS, [1, 1, 8]).axes[0]
    once, by_rows = axes.patches[1], axes.patches[2]
    assert once.get_data().edges.tolist() == [1.0, 3.0, 5.0]
    np.testing.assert_allclose(once.get_data().values, [100 / 3, 200 / 3])
    np.testing.assert_allclose(by_rows.get_data().values, [80, 20])


def test_leaf_costs_shows_both_means():
    labels = [line.get_label() for line in plot.leaf_costs(PETS, [1, 1, 8]).axes[0].lines]
    assert labels == ["labels (mean 3.3)", "labels weighted by rows (mean 2.4)"]


def test_many_different_leaf_costs_share_bins():
    nested: list[object] = [0, 1]
    for label in range(2, 300):
        nested = [label, nested]
    figure = plot.leaf_costs(LabelTree.from_nested(nested), np.ones(300))
    values, edges, _ = figure.axes[0].patches[0].get_data()
    assert len(values) <= 60
    assert edges[-1] > 2 * 299
    assert values.sum() == pytest.approx(100)


def test_an_odd_leaf_cost_among_even_ones_leaves_no_gaps():
    tree = LabelTree.from_nested([0, [1, [2, [3, [4, 5, 6]]]]])
    values, edges, _ = plot.leaf_costs(tree, np.ones(7)).axes[0].patches[0].get_data()
    assert cost.leaf_costs(tree).tolist() == [2, 4, 6, 8, 11, 11, 11]
    assert edges.tolist() == [1, 3, 5, 7, 9, 11, 13]
    np.testing.assert_allclose(values, np.array([1, 1, 1, 1, 0, 3]) * 100 / 7)


def test_leaf_costs_of_a_star_have_one_bin():
    figure = plot.leaf_costs(LabelTree.from_nested([0, 1, 2]), [1, 1, 1])
    values, edges, _ = figure.axes[0].patches[0].get_data()
    assert (values.tolist(), edges.tolist()) == ([100.0], [2.5, 3.5])


@pytest.mark.parametrize(
    ("counts", "message"),
    [([1, 2], "one entry per label, 3"), ([1, -1, 1], "negative"), ([0, 0, 0], "all 0")],
)
def test_invalid_counts_are_refused(counts, message):
    with pytest.raises(ValueError, match=message):
        plot.leaf_costs(PETS, counts)


# The top of a tree -------------------------------------------------------------------------------


def test_box_heights_are_proportional_to_the_number_of_labels():
    figure = plot.tree_top(PETS)
    assert boxes(figure) == [
        (0.0, 0.0, 1.0),
        (1.1, 0.0, round(2 / 3, 6)),
        (3.4, 0.0, round(1 / 3, 6)),
        (3.4, round(1 / 3, 6), round(1 / 3, 6)),
        (1.1, round(2 / 3, 6), round(1 / 3, 6)),
    ]
    assert texts(figure)[:5] == ["3 labels", "cat, dog\n2 labels", "cat", "dog", "fish"]


def test_box_heights_are_proportional_to_weights_with_the_heaviest_on_top():
    weights = cost.node_weights(PETS, [["fish"], ["fish"], ["fish"], ["dog"]])
    figure = plot.tree_top(PETS, weights=weights)
    assert texts(figure) == [
        "3 labels\n4 rows",
        "fish\n3 rows",
        "dog, cat\n2 labels, 1 row",
        "dog\n1 row",
        "2 of 2 levels, height proportional to number of rows",
    ]
    assert boxes(figure)[1] == (1.1, 0.0, 0.75)


def test_max_depth_limits_the_levels():
    figure = plot.tree_top(PETS, max_depth=1)
    assert len(boxes(figure)) == 3
    assert texts(figure)[-1] == "1 of 2 levels, height proportional to number of labels"


def test_small_siblings_share_a_box():
    star = LabelTree.from_nested(list(range(1000)))
    figure = plot.tree_top(star, weights=[1000, 900, *[1] * 999])
    assert texts(figure)[1] == "0\n900 rows"
    assert texts(figure)[2].splitlines()[0] == "999 more labels"
    assert boxes(figure)[2][2] == pytest.approx(999 / 1899, abs=1e-6)


def test_a_rest_smaller_than_a_line_has_no_text():
    figure = plot.tree_top(LabelTree.from_nested([0, 1, 2]), weights=[1000, 998, 1, 1])
    assert len(boxes(figure)) == 3
    assert texts(figure)[1:] == [
        "0\n998 rows",
        "1 of 1 levels, height proportional to number of rows",
    ]


def test_a_star_of_small_leaves_is_one_box():
    figure = plot.tree_top(LabelTree.from_nested(list(range(1000))))
    assert len(boxes(figure)) == 2
    assert texts(figure)[1].splitlines()[0] == "1,000 labels"


def test_one_small_child_keeps_its_box_without_text():
    figure = plot.tree_top(LabelTree.from_nested([0, 1]), weights=[1000, 999, 1])
    assert len(boxes(figure)) == 3
    assert texts(figure)[:2] == ["2 labels\n1,000 rows", "0\n999 rows"]
    assert len(texts(figure)) == 3


def test_given_names_override_those_of_the_tree():
    assert "Fisch" in texts(plot.tree_top(PETS, names=["Katze", "Hund", "Fisch"]))


def test_long_names_are_cut_in_the_middle():
    name = "a" * 100 + "z" * 100
    text = texts(plot.tree_top(LabelTree.from_nested([name, "b"])))[1]
    assert text.startswith("aaa")
    assert text.endswith("zzz")
    assert "…" in text
    assert len(text) < 40


def test_no_text_overlaps_another():
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    names = [f"label number {i}" for i in range(300)]
    nested = [[names[i + j] for j in range(size)] for i, size in ((0, 200), (200, 80), (280, 20))]
    figure = plot.tree_top(LabelTree.from_nested(nested))
    renderer = FigureCanvasAgg(figure).get_renderer()
    shapes = [text.get_window_extent(renderer) for text in figure.axes[0].texts]
    assert not any(a.overlaps(b) for i, a in enumerate(shapes) for b in shapes[:i])


def test_dollars_in_names_are_not_parsed_as_formulas():
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    figure = plot.tree_top(LabelTree.from_nested(["$x_$", "b"]))
    FigureCanvasAgg(figure).draw()
    assert texts(figure)[1] == "$x_$"


def test_a_tree_of_one_label_is_one_box():
    figure = plot.tree_top(LabelTree.from_nested(["cat"]))
    assert len(boxes(figure)) == 1
    assert texts(figure)[0] == "cat"


def test_weights_of_labels_instead_of_nodes_are_refused():
    with pytest.raises(ValueError, match="one entry per node, 5 in total"):
        plot.tree_top(PETS, weights=[1, 2, 3])


def test_negative_weights_are_refused():
    with pytest.raises(ValueError, match="finite and not negative"):
        plot.tree_top(PETS, weights=[1, 2, 3, 4, -1])


def test_too_few_names_are_refused():
    with pytest.raises(ValueError, match="one entry per label, 3 in total, but has 1"):
        plot.tree_top(PETS, names=["cat"])


def test_max_depth_zero_is_refused():
    with pytest.raises(ValueError, match="max_depth must be at least 1, but is 0"):
        plot.tree_top(PETS, max_depth=0)


# Matplotlib --------------------------------------------------------------------------------------


def test_pyplot_is_never_loaded():
    code = (
        "import sys; from labeltree import LabelTree, plot; "
        "assert 'matplotlib' not in sys.modules; "
        "plot.tree_top(LabelTree.from_nested([0, 1])); plot.cost_bars({'a': 2.0}); "
        "assert 'matplotlib.pyplot' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_missing_matplotlib_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ModuleNotFoundError, match=r'pip install "labeltree\[plot\]"'):
        plot.cost_bars({"a": 2.0})


# Explanations ------------------------------------------------------------------------------------


def explained(**options):
    tree = LabelTree.from_nested([["tea", "cake"], "bread"])
    X = [[1, 0, 0], [1, 0, 1], [0, 1, 0], [0, 1, 1]]
    clf = PLTClassifier(**{"tree": tree, **options})
    clf.fit(X, [["tea"], ["tea", "cake"], ["bread"], ["bread"]])
    return clf.explain([1, 0, 1], "cake", 1, feature_names=["wet", "dry", "$ sweet $"])


def test_explanation_bars_are_contributions_rest_and_bias():
    why = explained()
    axes = plot.explanation(why).axes[0]
    bars = [bar.get_width() for bar in axes.patches]
    expected = []
    for step in why.steps[1:]:
        expected += [entry.contribution for entry in step.evidence.contributions]
        expected += [step.evidence.rest] * (step.evidence.n_rest > 0) + [step.evidence.bias]
    assert bars == pytest.approx(expected)
    names = [label.get_text() for label in axes.get_yticklabels()]
    assert names == ["wet", "bias", "$ sweet $", "1 more", "bias"]


def test_an_explanation_names_its_nodes_their_siblings_and_probabilities():
    why = explained()
    figure = plot.explanation(why)
    words = texts(figure)
    assert any(text.startswith("depth 2: cake: ") for text in words)
    assert any(text.startswith("siblings: bread ") for text in words)
    assert (
        figure.axes[0].get_title(loc="left").startswith(f"cake: probability {why.probability:.3f} ")
    )


def test_feature_names_are_not_parsed_as_formulas():
    plot.explanation(explained()).canvas.draw()


def test_any_tree_of_several_can_be_drawn():
    why = explained(tree="random", n_trees=2)
    title = plot.explanation(why, tree=1).axes[0].get_title(loc="left")
    assert "(tree 2 of 2: " in title
    with pytest.raises(ValueError, match=r"tree must be in 0\.\.1, but is 2"):
        plot.explanation(why, tree=2)
