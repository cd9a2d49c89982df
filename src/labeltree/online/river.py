"""Label trees for river: one row at a time, features and labels by name.

Needs river: pip install "labeltree[river]".
"""

from __future__ import annotations

import zlib
from collections.abc import Hashable, Mapping
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labeltree.data import as_labels
from labeltree.data.features import canonical_csr
from labeltree.data.row_scaling import UNIT
from labeltree.online.learner import OnlineLearner
from labeltree.online.params import OnlineParams

try:
    from river import base
except ImportError as error:
    raise ImportError('river is missing; pip install "labeltree[river]"') from error

Features = Mapping[Hashable, Any]
Row = tuple[NDArray[np.int32], NDArray[np.float32]]

#: Rows are not kept unless asked for: river's models remember no rows.
_DEFAULTS = {"keep_rows": 0}


def hashed_row(x: Features, n_features: int, *, normalize: bool) -> Row:
    """Return the columns and values of a row; a text value makes a column of name and value.

    Examples
    --------
    >>> columns, values = hashed_row({"sugar": 3.0, "drink": "tea"}, 1000, normalize=False)
    >>> sorted(values.tolist())
    [1.0, 3.0]
    """
    sums: dict[int, float] = {}
    for name, value in x.items():
        key, number = (f"{name}={value}", 1.0) if isinstance(value, str) else (str(name), value)
        number = float(number)
        if not isfinite(number):
            raise ValueError(f"feature {name!r} must be finite, but is {number}")
        column = zlib.crc32(key.encode()) % n_features
        sums[column] = sums.get(column, 0.0) + number
    columns = np.array(sorted(sums), np.int32)
    values = np.array([sums[c] for c in sorted(sums)], np.float32)
    return columns, UNIT.of_row(columns, values) if normalize else values


class _Growing:
    """What both classifiers share."""

    def __init__(
        self,
        n_features: int = 2**18,
        normalize: bool = True,
        k: int | None = None,
        online_params: Mapping[str, Any] | None = None,
    ) -> None:
        self.n_features = n_features
        self.normalize = normalize
        self.k = k
        self.online_params = online_params
        options = OnlineParams.parse({**_DEFAULTS, **(online_params or {})})
        self._learner = OnlineLearner.start(n_features, options, intercept_scaling=1.0)

    def _row(self, x: Features) -> Row:
        return hashed_row(x, self.n_features, normalize=self.normalize)

    def _learn(self, x: Features, labels: list[Hashable]) -> None:
        columns, values = self._row(x)
        X = canonical_csr(np.array([0, len(columns)]), columns, values, self.n_features)
        self._learner.learn(self._learner.batch(X, as_labels([labels])), None, 1)

    def _probabilities(self, x: Features) -> dict[Any, float]:
        names = self._learner.names
        k = len(names) if self.k is None else min(self.k, len(names))
        if k == 0:
            return {}
        labels, probabilities = self._learner.native.best(*self._row(x), k)
        pairs = zip(labels.tolist(), probabilities.tolist(), strict=True)
        return {names[j]: p for j, p in pairs if j >= 0}


# river's classes have no type information for mypy where river is not installed.
class TreeClassifier(_Growing, base.Classifier):  # type: ignore[misc, unused-ignore]
    """One class a row, in river's manner; classes may come at any time.

    Parameters
    ----------
    n_features
        Feature names are hashed to so many columns.
    normalize
        Scale rows to length 1.
    k
        So many classes are answered, with probabilities that sum to 1; None for all.
    online_params
        Parameters of `labeltree.online.OnlineParams`.

    Examples
    --------
    >>> model = TreeClassifier()
    >>> for x, y in [({"green": 1}, "tea"), ({"rye": 1}, "bread"), ({"black": 1}, "tea")]:
    ...     model.learn_one(x, y)
    >>> model.predict_one({"rye": 1})
    'bread'
    """

    @property
    def _multiclass(self) -> bool:
        return True

    def learn_one(self, x: Features, y: Any) -> None:
        """Learn one row."""
        self._learn(x, [_plain(y)])

    def predict_proba_one(self, x: Features, **kwargs: Any) -> dict[Any, float]:
        """Return the probability of each class."""
        found = self._probabilities(x)
        total = sum(found.values())
        if total <= 0:
            return {label: 1 / len(found) for label in found}
        return {label: p / total for label, p in found.items()}


class TreeTagger(_Growing, base.MultiLabelClassifier):  # type: ignore[misc, unused-ignore]
    """Any number of labels a row, in river's manner; labels may come at any time.

    Parameters are those of `TreeClassifier`.

    Examples
    --------
    >>> model = TreeTagger()
    >>> for _ in range(5):
    ...     model.learn_one({"green": 1}, {"tea": True, "drink": True, "food": False})
    ...     model.learn_one({"rye": 1}, {"tea": False, "drink": False, "food": True})
    >>> sorted(label for label, is_there in model.predict_one({"green": 1}).items() if is_there)
    ['drink', 'tea']
    """

    def learn_one(self, x: Features, y: Mapping[Any, bool]) -> None:
        """Learn one row; labels that are False are made known."""
        self._learner.add_labels([_plain(label) for label in y])
        self._learn(x, [_plain(label) for label, is_there in y.items() if is_there])

    def predict_proba_one(self, x: Features, **kwargs: Any) -> dict[Any, dict[bool, float]]:
        """Return the probabilities of each label not to be there and to be there."""
        found = self._probabilities(x)
        return {label: {False: 1.0 - p, True: p} for label, p in found.items()}

    def predict_one(self, x: Features, **kwargs: Any) -> dict[Any, bool]:
        """Return whether each label is there."""
        return {label: p >= 0.5 for label, p in self._probabilities(x).items()}


def _plain(label: Any) -> Any:
    return label.item() if isinstance(label, np.generic) else label
