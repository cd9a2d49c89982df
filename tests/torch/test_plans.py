"""Shapes of trees that are planned from made-up costs, and costs that are measured."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="labeltree.torch needs torch")

from labeltree.torch import StepCosts, TreeShape, TreeSoftmax, fit, measure_costs, plan
from labeltree.torch.costs import Batch, Work, by_position, descending
from labeltree.torch.plans import PlanRow, chosen

FAST, MEDIUM, SLOW = (TreeShape(0, 64, None, k) for k in (1, 4, 16))
ROWS = [PlanRow(SLOW, 0.4, 2.0), PlanRow(FAST, 0.1, 6.0), PlanRow(MEDIUM, 0.15, 4.0)]
BATCH = Batch(1000, 512)
ZIPF = 1e6 / (np.arange(10_000) + 2.7)
LEVELS = TreeShape(3, 8, 4)


def test_by_default_the_finest_shape_within_twice_the_fastest_is_chosen() -> None:
    assert chosen(ROWS).best == MEDIUM


def test_a_limit_chooses_the_finest_shape_within_it() -> None:
    assert chosen(ROWS, 0.1).best == FAST
    assert chosen(ROWS, 1.0).best == SLOW


def test_a_shape_that_is_slower_and_coarser_is_left_out() -> None:
    worse = PlanRow(TreeShape(0, 128), 0.2, 7.0)
    assert chosen([*ROWS, worse]).rows == chosen(ROWS).rows


def test_a_limit_below_the_fastest_shape_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^max_us_per_row must be at least 0.1, .* but is 0.05$"):
        chosen(ROWS, 0.05)


def test_a_dear_root_makes_groups_wider() -> None:
    cheap, dear = (StepCosts(step=1, root=root, groups=10) for root in (1, 1000))
    sizes = [
        plan(ZIPF, 512, costs=costs).rows[0].shape.n_columns(len(ZIPF)) for costs in (cheap, dear)
    ]
    assert sizes[1] < sizes[0]


def test_labels_have_one_prototype() -> None:
    found = plan(ZIPF, 512, labels_per_row=5, costs=StepCosts(step=1, root=10, groups=10))
    assert {row.shape.n_prototypes for row in found.rows} == {1}


def test_few_labels_have_a_plan() -> None:
    assert plan([3, 1], 16, costs=StepCosts(step=1)).best.levels(2)[0].tolist() == [1, 1]


def test_costs_are_found_from_the_times_they_explain() -> None:
    true = StepCosts(100.0, 20.0, 8.0, 2.0, 50.0, 3.0, 1.5, 0.5, 30.0)
    shapes = [
        TreeShape(0, 16), TreeShape(0, 64), TreeShape(0, 64, None, 8), TreeShape(256, 32),
        TreeShape(0, 32, 16), TreeShape(100, 16, 8, 2), TreeShape(0, 256), TreeShape(10, 128),
        TreeShape(50, 32, 64), TreeShape(0, 128, None, 16),
    ]  # fmt: skip
    p = descending(ZIPF)
    works = [Work.of(shape, by_position(p, shape.n_head), BATCH) for shape in shapes]
    found = StepCosts.fitted(works, [true.of_step(work) for work in works])
    for work in works:
        assert found.of_step(work) == pytest.approx(true.of_step(work), rel=1e-6)


def test_a_time_of_zero_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^microseconds must be above 0"):
        StepCosts.fitted([Work(1, 0, 1, 1, 1, 1, 1, 1, 1)], [0.0])


def test_a_full_softmax_is_not_coarse() -> None:
    assert TreeShape(0, 32, None, 32).coarseness(descending(ZIPF)) == 0
    assert TreeShape(0, 32).coarseness(descending(ZIPF)) == pytest.approx(5)


def test_work_counts_the_nodes_of_the_tree() -> None:
    head = TreeSoftmax(16, LEVELS.layout(torch.randn(200, 16), np.arange(200)))
    batch = Batch(10**9, 16)  # every group has rows
    work = Work.of(LEVELS, np.full(200, 1 / 200), batch)
    nodes = (len(head.leaf) + len(head.middle)) * 16 / 1e6
    assert work.weights == pytest.approx(nodes)
    assert work.touched == pytest.approx(nodes)
    assert LEVELS.n_columns(200) == head.n_columns


def test_the_head_of_a_shaped_layout_is_frequent() -> None:
    layout = LEVELS.layout(torch.randn(200, 16), np.arange(200))
    assert sorted(layout.order[:3].tolist()) == [197, 198, 199]


@pytest.mark.parametrize(("labels_per_row", "method"), [(None, "adagrad"), (2, None)])
def test_costs_are_measured_on_a_cpu(labels_per_row, method) -> None:
    found = measure_costs(16, n_rows=16, labels_per_row=labels_per_row, method=method, device="cpu")
    assert sum(vars(found).values()) > 0
    assert min(vars(found).values()) >= 0


def test_fit_takes_a_planned_shape() -> None:
    X, y = np.random.default_rng(0).random((60, 16), dtype=np.float32), np.arange(60) % 20
    encoder = torch.nn.Linear(16, 16)
    encoder.n_dimensions = 16
    shape = TreeShape(2, 3, 2, 2)
    head = fit(
        X, y, encoder=encoder, n_epochs=2, batch_size=20, device="cpu", **shape._asdict()
    ).head
    assert head.layout.n_head == 2
    assert head.layout.widths == (2, 3)
    assert head.n_prototypes == 2


def test_a_plan_prints_its_shapes() -> None:
    assert str(chosen(ROWS)).splitlines()[2].startswith("*      0          64")
