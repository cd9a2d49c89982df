"""The fitted state of an estimator: one immutable record, which is replaced as a whole."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property, lru_cache, partial
from typing import Any, NamedTuple

from numpy.typing import NDArray

from labeltree.data.labels import Kind
from labeltree.data.row_scaling import RowScaling
from labeltree.estimators.label_subsets import Subset, label_limits
from labeltree.model.implications import Implications
from labeltree.model.interface import LabelModel
from labeltree.model.label_limits import LabelLimits
from labeltree.model.model import Model
from labeltree.online.learner import OnlineLearner
from labeltree.online.stored import StoredLearner
from labeltree.storage.names import StoredNames
from labeltree.training.fit import FitReport

# Subsets of labels that are kept ready for searches, such as those of the users of one server.
_MAX_SUBSETS = 4

#: Names as an array, or as stored in a file.
Names = NDArray[Any] | StoredNames


class FitCounts(NamedTuple):
    """Costs of training that are the same on every machine."""

    n_rows: int
    training_cost: int  # (row, node) pairs over all trees
    n_visits: int  # rows visited by the solver over all nodes, counting passes
    n_iter: int  # maximum number of passes over the rows of a node


@dataclass(frozen=True, eq=False)
class FittedState:
    """The fitted state of a classifier. Methods that learn replace it by a new one.

    An online model has a learner. Its weights are laid out for prediction when they are first used.
    Names from a file are decoded when they are first used.
    """

    label_kind: Kind
    dense_labels: bool  # whether Y was an indicator that is not sparse
    row_scaling: RowScaling
    n_features: int
    counts: FitCounts
    class_names: Names
    feature_names: Names | None = None
    laid_out: LabelModel | None = None  # None if the weights are those of the learner
    learner: OnlineLearner | StoredLearner | None = None
    report: FitReport | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)  # what `fit` decided, if it is known

    @cached_property
    def _snapshot(self) -> tuple[LabelModel, NDArray[Any]]:
        if self.laid_out is not None:
            return self.laid_out, as_names(self.class_names)
        return self.online.snapshot(self.label_kind)

    @property
    def model(self) -> LabelModel:
        """Trees with their weights."""
        return self.laid_out if self.laid_out is not None else self._snapshot[0]

    @property
    def model_classes(self) -> NDArray[Any]:
        """Names of the labels of `model`, even if another thread has added labels since."""
        return self._snapshot[1]

    @property
    def classes(self) -> NDArray[Any]:
        """Names of the labels; label number j is classes[j]."""
        return as_names(self.class_names)

    @property
    def has_rankers(self) -> bool:
        """Whether the model re-ranks labels."""
        return isinstance(self.laid_out, Model) and self.laid_out.rankers is not None

    @property
    def implications(self) -> Implications | None:
        """Labels of the model that imply others; None if there are none."""
        return None if self.laid_out is None else self.laid_out.implications

    @property
    def has_label_weights(self) -> bool:
        """Whether the model ranks labels by weights of its own."""
        return self.laid_out is not None and self.laid_out.calibration.weights is not None

    @cached_property
    def subset_limits(self) -> Callable[[Subset], LabelLimits]:
        """Function that returns the limits of a search for some labels; the last few are kept."""
        return lru_cache(_MAX_SUBSETS)(partial(label_limits, self.model_classes, None))

    @cached_property
    def weighted_subset_limits(self) -> Callable[[Subset], LabelLimits]:
        """The same, with the weights that the model ranks its best labels by."""
        own = self.model.calibration.weights
        if own is None:
            return self.subset_limits
        return lru_cache(_MAX_SUBSETS)(partial(label_limits, self.model_classes, own))

    @cached_property
    def online(self) -> OnlineLearner:
        """The learner, restored from the arrays of a file when it is first used."""
        if self.learner is None:
            raise AttributeError("the model has no online state; call partial_fit first")
        return self.learner() if isinstance(self.learner, StoredLearner) else self.learner

    def __getstate__(self) -> dict[str, Any]:
        # Cached values are not pickled, and names of a file are decoded.
        state = {one.name: getattr(self, one.name) for one in fields(self)}
        state["class_names"] = as_names(self.class_names)
        if self.feature_names is not None:
            state["feature_names"] = as_names(self.feature_names)
        return state


def as_names(names: Names) -> NDArray[Any]:
    """Return names as an array."""
    return names.names if isinstance(names, StoredNames) else names
