"""Label trees for river: one row at a time, with features and labels by name.

Requires river: pip install "labeltree[river]".
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
from labeltree.data.nested_lists import in_form
from labeltree.data.row_scaling import UNIT
from labeltree.model.calibration import INDEPENDENT, ONE
from labeltree.online.learner import OnlineLearner
from labeltree.online.params import OnlineParams

try:
    from river import base
except ImportError as error:
    raise ImportError('river is missing; pip install "labeltree[river]"') from error

Features = Mapping[Hashable, Any]
Row = tuple[NDArray[np.int32], NDArray[np.float32]]

#: Like other models of river, these keep no rows by default.
_DEFAULTS = {"keep_rows": 0}


def hashed_row(x: Features, n_features: int, *, normalize: bool) -> Row:
    """Return the columns and values of a row; text values become one-hot columns.

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
    return UNIT.of_row(columns, values) if normalize else (columns, values)


class _Growing:
    """The part that both classifiers share."""

    _siblings: str  # how estimates of siblings are normalized

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
        self._learner = OnlineLearner.start(n_features, options, 1.0, siblings=self._siblings)

    def _row(self, x: Features) -> Row:
        return hashed_row(x, self.n_features, normalize=self.normalize)

    def _learn(self, x: Features, labels: list[Hashable]) -> None:
        columns, values = self._row(x)
        X = canonical_csr(np.array([0, len(columns)]), columns, values, self.n_features)
        self._learner.learn(self._learner.batch(X, as_labels(in_form([labels], "sets"))), None, 1)

    def _probabilities(self, x: Features) -> dict[Any, float]:
        names = self._learner.names
        k = len(names) if self.k is None else min(self.k, len(names))
        if k == 0:
            return {}
        labels, probabilities = self._learner.native.best(*self._row(x), k, self._learner.sums)
        pairs = zip(labels.tolist(), probabilities.tolist(), strict=True)
        return {names[j]: p for j, p in pairs if j >= 0}


# river's classes have no type information for mypy where river is not installed.
class TreeClassifier(_Growing, base.Classifier):  # type: ignore[misc, unused-ignore]
    """A river classifier: one class per row; new classes may occur at any time.

    Parameters
    ----------
    n_features
        Number of columns that feature names are hashed to.
    normalize
        Whether to scale rows to length 1.
    k
        Number of classes to return, with probabilities that sum to 1; None for all.
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

    _siblings = ONE

    @property
    def _multiclass(self) -> bool:
        return True

    def learn_one(self, x: Features, y: Any) -> None:
        """Learn from one row."""
        self._learn(x, [_plain(y)])

    def predict_proba_one(self, x: Features, **kwargs: Any) -> dict[Any, float]:
        """Return the probabilities of the k most probable classes."""
        found = self._probabilities(x)
        total = sum(found.values())
        if total <= 0:
            return {label: 1 / len(found) for label in found}
        return {label: p / total for label, p in found.items()}


class TreeTagger(_Growing, base.MultiLabelClassifier):  # type: ignore[misc, unused-ignore]
    """A river multi-label classifier: any number of labels per row; new labels may occur.

    The parameters are those of `TreeClassifier`.

    Examples
    --------
    >>> model = TreeTagger()
    >>> for _ in range(5):
    ...     model.learn_one({"green": 1}, {"tea": True, "drink": True, "food": False})
    ...     model.learn_one({"rye": 1}, {"tea": False, "drink": False, "food": True})
    >>> sorted(label for label, is_there in model.predict_one({"green": 1}).items() if is_there)
    ['drink', 'tea']
    """

    _siblings = INDEPENDENT

    def learn_one(self, x: Features, y: Mapping[Any, bool]) -> None:
        """Learn from one row; labels that are False are added, too."""
        self._learner.add_labels([_plain(label) for label in y])
        self._learn(x, [_plain(label) for label, is_there in y.items() if is_there])

    def predict_proba_one(self, x: Features, **kwargs: Any) -> dict[Any, dict[bool, float]]:
        """Return for each label the probabilities of False (absent) and True (present)."""
        found = self._probabilities(x)
        return {label: {False: 1.0 - p, True: p} for label, p in found.items()}

    def predict_one(self, x: Features, **kwargs: Any) -> dict[Any, bool]:
        """Return for each label whether its probability is at least 0.5."""
        return {label: p >= 0.5 for label, p in self._probabilities(x).items()}


def _plain(label: Any) -> Any:
    return label.item() if isinstance(label, np.generic) else label
