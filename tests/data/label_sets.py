"""Label rows as lists, and a matrix of them."""

import numpy as np

from labeltree.data import LabelRows

DENSE = np.array([[0, 1, 1], [0, 0, 0], [1, 0, 0]], np.uint8)


def sets(rows: LabelRows) -> list[list[int]]:
    return [rows.row(i).tolist() for i in range(rows.n_rows)]


def named(rows: LabelRows) -> list[list[object]]:
    return [[rows.name(j) for j in row] for row in sets(rows)]
