"""The attributes of a fitted estimator."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from labeltree.data.features import FeatureMatrix
from labeltree.data.labels import Kind
from labeltree.estimators import validation
from labeltree.estimators.learning_lock import OneLearner
from labeltree.estimators.state import FittedState, as_names
from labeltree.model.interface import LabelModel
from labeltree.threads import n_threads
from labeltree.training.fit import FitReport
from labeltree.trees import LabelTree


class FittedAttributes(OneLearner):
    """The attributes of a fitted estimator, all read from one record."""

    n_jobs: int | None

    _state: FittedState | None = None

    def __sklearn_is_fitted__(self) -> bool:
        return self._state is not None

    @property
    def _fitted(self) -> FittedState:
        """The record. Each method reads it once, so that it uses one consistent state."""
        state = self._state
        if state is None:
            check_is_fitted(self)
        return state  # type: ignore[return-value]  # check_is_fitted raises for None

    def _checked(self, state: FittedState, X: Any) -> FeatureMatrix:
        """Return X with the columns, and their names, that the estimator was trained with."""
        return validation.query_features(self, X, state.n_features)

    def _query(self, X: Any) -> FeatureMatrix:
        """Return X checked, weighted and scaled, as the nodes use it."""
        state = self._fitted
        return state.row_scaling(self._checked(state, X), n_threads(self.n_jobs))

    @property
    def model_(self) -> LabelModel:
        """Trees with their weights."""
        return self._fitted.model

    @property
    def trees_(self) -> list[LabelTree]:
        """The trees."""
        return list(self.model_.trees)

    @property
    def tree_(self) -> LabelTree:
        """The first tree."""
        return self.trees_[0]

    @property
    def classes_(self) -> NDArray[Any]:
        """Names of the labels; label number j, column j of Y, is classes_[j]."""
        return self._fitted.classes

    @property
    def label_kind_(self) -> Kind:
        """The form of Y: "indicator", "sets" or "classes"."""
        return self._fitted.label_kind

    @property
    def n_features_in_(self) -> int:
        """Number of columns of X."""
        return self._fitted.n_features

    @property
    def feature_names_in_(self) -> NDArray[Any]:
        """Names of the columns, if X was a DataFrame with text names."""
        names = self._fitted.feature_names
        if names is None:
            raise AttributeError(
                "feature_names_in_ requires X with column names, but X had none; fit a DataFrame"
            )
        return as_names(names)

    @property
    def feature_weights_(self) -> NDArray[np.float32]:
        """Factor of the values of each feature; see `feature_weighting`."""
        state = self._fitted
        weights = state.row_scaling.weights[: state.n_features]
        return weights if len(weights) else np.ones(state.n_features, np.float32)

    @property
    def interactions_(self) -> NDArray[np.int32]:
        """Pairs of features that rows get as additional features: rows of two columns of X."""
        return self._fitted.row_scaling.pairs.to_array()

    @property
    def value_power_(self) -> float:
        """Exponent of the values of X; see `feature_weighting`."""
        return self._fitted.row_scaling.power

    @property
    def thresholds_(self) -> NDArray[np.float32] | None:
        """Minimum probability at which each label is predicted, set by `tune_thresholds`.

        None before, and for the objective "expected_f1", which has no thresholds.
        """
        return self.model_.calibration.thresholds

    @property
    def training_cost_(self) -> int:
        """Number of (row, node) pairs over all trees."""
        return self._fitted.counts.training_cost

    @property
    def n_visits_(self) -> int:
        """Number of rows visited by the solver over all nodes, counting passes."""
        return self._fitted.counts.n_visits

    @property
    def n_iter_(self) -> int:
        """Maximum number of passes over the training rows of any node."""
        return max(self._fitted.counts.n_iter, 1)

    @property
    def n_rows_(self) -> int:
        """Number of training rows."""
        return self._fitted.counts.n_rows

    @property
    def settings_(self) -> dict[str, Any]:
        """What `fit` decided, as `effort` and held-back rows say.

        The builder and the parameters of each tree, C, the maximum number of passes, whether labels
        are re-ranked, and the numbers of pairs of features (`n_interactions`) and of pairs of
        labels of which one implies the other (`n_implications`), 0 for none. Empty if the model was
        not made by `fit`.
        """
        state = self._fitted
        if not state.settings:
            return {}
        return {
            **state.settings,
            "n_interactions": len(state.row_scaling.pairs),
            "n_implications": len(state.implications or ()),
        }

    @property
    def fit_report_(self) -> FitReport:
        """Times and peak memory of `fit`. They describe one run, so they are not saved."""
        report = self._fitted.report
        if report is None:
            raise AttributeError(
                "fit_report_ requires a call of fit; it is not saved, nor set by partial_fit"
            )
        return report
