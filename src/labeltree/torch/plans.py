"""The shape of a tree for a device: how fine it can be within a time per row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from labeltree.arguments import check_integer
from labeltree.torch.costs import Batch, StepCosts, TreeShape, Work, by_position, descending
from labeltree.torch.kernels.tiles import MAX_ROOT_COLUMNS
from labeltree.torch.layout import MAX_GROUP_SIZE
from labeltree.torch.measuring import measure_costs

GROUP_SIZES = (16, 32, 64, 128, 256)
MIDDLE_SIZES = (None, 16, 32, 64, 128)
HEAD_SIZES = (0, 256, 512)
PROTOTYPES = (1, 2, 4, 8, 16, 32)
#: By default, a tree may take this many times as long as the fastest.
MAX_RATIO = 2.0


class PlanRow(NamedTuple):
    """One shape with its estimated time and resolution."""

    shape: TreeShape
    us_per_row: float  #: estimated microseconds per row, forward and backward
    coarseness: float  #: bits that the nodes above a label leave open; 0 for a full softmax


@dataclass(frozen=True)
class Plan:
    """Shapes of which none is both slower and coarser than another, and the one to use."""

    rows: list[PlanRow]  #: from the fastest to the finest
    best: TreeShape

    def __str__(self) -> str:
        lines = ["  n_head  group_size  middle_size  n_prototypes  us_per_row  coarseness"]
        for shape, time, bits in self.rows:
            mark = "*" if shape == self.best else " "
            middle = "-" if shape.middle_size is None else shape.middle_size
            lines.append(
                f"{mark}{shape.n_head:7}  {shape.group_size:10}  {middle:>11}  "
                f"{shape.n_prototypes:12}  {time:10.4f}  {bits:10.2f}"
            )
        return "\n".join(lines)


def plan(
    counts: ArrayLike,
    in_features: int,
    *,
    n_rows: int = 8192,
    labels_per_row: int | None = None,
    method: str | None = "adagrad",
    device: Any = None,
    costs: StepCosts | None = None,
    max_us_per_row: float | None = None,
) -> Plan:
    """Return shapes of trees for a device, and the finest one that is fast enough.

    More columns of the root bring the likelihood closer to that of a full softmax and take more
    time. Times are estimated from costs that are measured on the device; see `measure_costs`.

    Parameters
    ----------
    counts
        Number of rows of each label.
    in_features
        Number of features of a row.
    n_rows, labels_per_row, method, device
        The steps and where they run; see `measure_costs`.
    costs
        Costs that were measured before, so that nothing is measured.
    max_us_per_row
        Maximum time of a step for each row in microseconds. By default, twice that of the fastest
        shape.

    Examples
    --------
    >>> from labeltree.torch import StepCosts, plan
    >>> costs = StepCosts(step=100, root=10, groups=100, touched=2)
    >>> plan([1] * 10_000, 512, costs=costs).best
    TreeShape(n_head=512, group_size=32, middle_size=None, n_prototypes=8)
    """
    probabilities = descending(counts)
    check_integer("the number of labels", len(probabilities), minimum=2)
    if costs is None:
        costs = measure_costs(
            in_features,
            n_rows=n_rows,
            labels_per_row=labels_per_row,
            method=method,
            device=device,
        )
    batch = Batch(n_rows, in_features, labels_per_row or 1.0)
    found = estimates(probabilities, batch, costs, is_bce=labels_per_row is not None)
    return chosen(found, max_us_per_row)


def estimates(
    probabilities: NDArray[np.float64], batch: Batch, costs: StepCosts, *, is_bce: bool
) -> list[PlanRow]:
    """Return the time and the coarseness of every candidate; probabilities descend."""
    n_labels = len(probabilities)
    bases = _bases(n_labels)
    in_order = {n: by_position(probabilities, n) for n in {base.n_head for base in bases}}
    rows = []
    for base in bases:
        work = Work.of(base, in_order[base.n_head], batch)
        for k in (1,) if is_bce else PROTOTYPES:
            shape = base._replace(n_prototypes=k)
            columns = shape.n_columns(n_labels)
            if k > max(1, shape.group_size // 2) or columns > MAX_ROOT_COLUMNS:
                continue
            time = costs.of_step(work.with_root(columns, batch)) / batch.n_rows
            rows.append(PlanRow(shape, time, shape.coarseness(probabilities)))
    return rows


def chosen(rows: list[PlanRow], max_us_per_row: float | None = None) -> Plan:
    """Return the shapes that are not dominated, and the finest one within the limit."""
    front: list[PlanRow] = []
    for row in sorted(rows, key=lambda row: (row.us_per_row, row.coarseness)):
        if not front or row.coarseness < front[-1].coarseness:
            front.append(row)
    fastest = front[0].us_per_row
    limit = MAX_RATIO * fastest if max_us_per_row is None else max_us_per_row
    if not limit >= fastest:
        raise ValueError(
            f"max_us_per_row must be at least {fastest:.4g}, the time of the fastest tree, "
            f"but is {limit:.4g}"
        )
    return Plan(front, [row for row in front if row.us_per_row <= limit][-1].shape)


def _bases(n_labels: int) -> list[TreeShape]:
    """Return the candidates with one prototype."""
    made = []
    for size in GROUP_SIZES:
        for n_head in HEAD_SIZES:
            n_groups = -(-(n_labels - n_head) // size)
            for middle in MIDDLE_SIZES:
                is_deep = middle is None or middle * 4 <= n_groups
                if n_groups >= 2 and is_deep and 4 * n_head <= n_labels:
                    made.append(TreeShape(n_head, size, middle))
    return made or [TreeShape(0, min(MAX_GROUP_SIZE, max(1, n_labels // 2)))]
