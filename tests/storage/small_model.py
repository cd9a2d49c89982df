"""What the models in files are trained on."""

import numpy as np

from labeltree import LabelTree

X = np.array([[1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [0, 1, 1]], np.float32)
Y = [["tea", "milk"], ["tea"], ["bread"], ["jam"], ["bread", "jam"]]
# Node 0 has children 1 and 2, and leaves are 3, 4 under 1 and 5, 6 under 2.
TREE = LabelTree.from_nested([["tea", "milk"], ["bread", "jam"]])
