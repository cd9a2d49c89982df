"""Plots show the right bars, lines, boxes and texts."""

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from labeltree import LabelTree, PLTClassifier, cost, plot

pytest.importorskip("matplotlib")

from matplotlib.text import Text

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


def test_leaf_costs_shows_the_cost_of_each_label_at_its_number_of_rows():
    axes = plot.leaf_costs(PETS, [1, 2, 8]).axes[0]
    assert axes.collections[0].get_offsets().tolist() == [[1, 4], [2, 4], [8, 2]]


def test_leaf_costs_draws_labels_of_equal_count_and_cost_once():
    axes = plot.leaf_costs(LabelTree.from_nested(list(range(5000))), np.ones(5000)).axes[0]
    assert axes.collections[0].get_offsets().tolist() == [[1, 5000]]


def test_leaf_costs_averages_labels_of_similar_frequency():
    tree = LabelTree.from_nested([0, [1, 2, [3, 4]]])  # D is 2, 5, 5, 7 and 7
    line = plot.leaf_costs(tree, [4, 3, 1, 2, 0]).axes[0].lines[0]
    assert line.get_xydata().tolist() == [[0, 7], [1, 5], [2.5, 6], [4, 2]]


def test_leaf_costs_shows_both_means():
    legend = plot.leaf_costs(PETS, [1, 1, 8]).axes[0].get_legend()
    assert legend.get_title().get_text() == "mean cost: 2.4 over rows, 3.3 over labels"


def test_leaf_costs_shows_labels_without_rows():
    axes = plot.leaf_costs(PETS, [0, 1, 8]).axes[0]
    assert axes.get_xlim()[0] < 0 <= axes.collections[0].get_offsets()[0][0]


@pytest.mark.parametrize(
    ("counts", "message"),
    [([1, 2], "one entry per label, 3"), ([1, -1, 1], "negative"), ([0, 0, 0], "all 0")],
)
def test_invalid_counts_are_refused(counts, message):
    with pytest.raises(ValueError, match=message):
        plot.leaf_costs(PETS, counts)


# Accuracy and cost -------------------------------------------------------------------------------

CLOSE = {
    "auto": (70, 0.871),
    "cheapest": (24, 0.86),
    "huffman": (38, 0.859),
    "complete": (39, 0.86),
    "cheapest+sweeps": (24.2, 0.8605),
    "blend": (26, 0.861),
}
CASES = {
    "close": CLOSE,
    "at the top": {"auto": (20, 1.0), "cheapest": (19.9, 1.0), "huffman": (19.8, 1.0)},
    "one cost": {f"tree {i}": (20, 0.8 + 0.0001 * i) for i in range(10)},
    "in a row": {f"tree {i}": (20 + i, 0.8) for i in range(14)},
}


@pytest.mark.parametrize("case", CASES)
def test_names_of_trees_cover_no_other_name_and_no_other_point(case: str):
    figure = plot.accuracy_against_cost(CASES[case])
    axes = figure.axes[0]
    figure.draw_without_rendering()
    shapes = [Text.get_window_extent(text).padded(-0.5) for text in axes.texts]
    assert len(shapes) == len(CASES[case])
    assert not any(a.overlaps(b) for i, a in enumerate(shapes) for b in shapes[:i])
    points = axes.transData.transform(axes.lines[0].get_xydata())
    assert not any(shape.contains(*point) for shape in shapes for point in points)


@pytest.mark.parametrize("case", CASES)
def test_names_of_trees_stay_in_the_figure(case: str):
    figure = plot.accuracy_against_cost(CASES[case])
    figure.draw_without_rendering()
    for text in figure.axes[0].texts:
        extent = Text.get_window_extent(text)
        assert figure.bbox.x0 <= extent.x0 < extent.x1 <= figure.bbox.x1
        assert figure.bbox.y0 <= extent.y0 < extent.y1 <= figure.bbox.y1


@pytest.mark.parametrize("accuracy", [1.0, 0.999, 0.5, 0.0])
def test_the_accuracy_axis_stays_within_0_and_100_percent(accuracy: float):
    axes = plot.accuracy_against_cost({"a": (20, accuracy), "b": (30, accuracy)}).axes[0]
    low, high = axes.get_ylim()
    assert 0 <= low < high <= 100


def test_an_accuracy_in_percent_is_refused():
    with pytest.raises(ValueError, match=r"accuracy of 'auto' must be in 0\.\.1, but is 87"):
        plot.accuracy_against_cost({"auto": (20, 87)})


# Reliability -------------------------------------------------------------------------------------


def test_reliability_shows_the_number_of_predictions_per_bin_as_labeled_bars():
    figure = plot.reliability([[0], [1], [1]], [[0], [0], [1]], [[0.7], [0.72], [0.2]])
    above, below = figure.axes
    np.testing.assert_allclose(above.lines[1].get_xydata(), [[0.2, 1.0], [0.71, 0.5]])
    assert [bar.get_height() for bar in below.patches] == [0, 0, 1, 0, 0, 0, 0, 2, 0, 0]
    assert below.get_ylabel() == "predictions\nper bin"
    assert [text.get_text() for text in below.texts if text.get_text()] == ["1", "2"]


def test_the_lines_of_a_reliability_diagram_are_named():
    axes = plot.reliability([[0]], [[0]], [[0.7]]).axes[0]
    names = [text.get_text() for text in axes.get_legend().get_texts()]
    assert names == ["perfectly calibrated", "model"]


def test_many_bins_have_bars_without_numbers():
    below = plot.reliability([[0]], [[0]], [[0.7]], n_bins=30).axes[1]
    assert len(below.patches) == 30
    assert len(below.texts) == 0


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
    monkeypatch.delitem(sys.modules, "labeltree.plot.notebook", raising=False)
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
    assert any(text.startswith("depth 2: cake (own ") for text in words)
    assert any(text.startswith("siblings: bread (") for text in words)
    assert (
        figure.axes[0].get_title(loc="left").startswith(f"cake: probability {why.probability:.3f} ")
    )


def test_the_title_of_an_explanation_is_calibrated_only_after_calibrate():
    why = explained()
    for is_calibrated, curve in ((False, "the fixed curve"), (True, "calibration")):
        figure = plot.explanation(replace(why, is_calibrated=is_calibrated))
        end = f"({why.mean:.3f} before {curve})"
        assert figure.axes[0].get_title(loc="left").endswith(end)


def test_feature_names_are_not_parsed_as_formulas():
    plot.explanation(explained()).canvas.draw()


def test_any_tree_of_several_can_be_drawn():
    why = explained(tree="random", n_trees=2)
    title = plot.explanation(why, tree=1).axes[0].get_title(loc="left")
    assert "(tree 2 of 2: " in title
    with pytest.raises(ValueError, match=r"tree must be in 0\.\.1, but is 2"):
        plot.explanation(why, tree=2)


def test_notebooks_show_figures_without_pyplot():
    assert plot.cost_bars({"a": 2.0})._repr_png_().startswith(b"\x89PNG")
