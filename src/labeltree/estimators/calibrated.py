"""Calibration and thresholds as an estimator has them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from labeltree.calibration.methods import learn_calibration, learn_thresholds
from labeltree.data import LabelRows, as_labels, targets
from labeltree.data.features import FeatureMatrix
from labeltree.data.row_scaling import RowScaling
from labeltree.estimators import validation
from labeltree.model.calibration import fixed_calibration
from labeltree.threads import n_threads


class CalibratedMixin:
    """Methods that learn from validation rows; a call that fails leaves the estimator as it was."""

    # What the estimators have that mix this in.
    model_: Any
    classes_: Any
    label_kind_: str
    scaling_: RowScaling
    threshold: float
    n_jobs: int | None

    @property
    def thresholds_(self) -> NDArray[np.float32] | None:
        """Least probability at which each label is predicted, as `tune_thresholds` found it.

        None before, and for the objective "expected_f1", which has no thresholds.
        """
        check_is_fitted(self, "model_")
        thresholds: NDArray[np.float32] | None = self.model_.calibration.thresholds
        return thresholds

    def calibrate(self, X: Any = None, y: Any = None, method: str | None = "auto") -> Self:
        """Learn from rows that were not in training what probabilities mean.

        All answers are in the new probabilities from now on, until the next fit or calibrate.
        Thresholds that were tuned are forgotten, as they were for the old ones.

        Parameters
        ----------
        X, y
            Features and labels of validation rows; all labels must be known from training.
        method
            "isotonic" learns a rising curve over the probabilities of labels, which changes no
            ranking; "sigmoid" the same with two numbers, for few rows; "auto" the one or the other;
            "global" and "depth" learn how scores of nodes become probabilities, for all nodes or
            for each depth, which may change rankings; "depth_isotonic" depth first and then a
            curve. None, which needs no rows, goes back to what fit gave.

        Examples
        --------
        >>> from labeltree import PLTClassifier
        >>> clf = PLTClassifier().fit([[1, 0], [0, 1]] * 5, [["tea"], ["bread"]] * 5)
        >>> X_val, y_val = [[1, 0.2], [0.2, 1], [0.6, 0.5]], [["tea"], ["bread"], []]
        >>> before = clf.top_k(X_val, k=1)
        >>> after = clf.calibrate(X_val, y_val).top_k(X_val, k=1)
        >>> (before[0] == after[0]).ravel().tolist()
        [True, True, True]
        """
        check_is_fitted(self, "model_")
        if method is None:
            calibration = fixed_calibration(getattr(self.model_, "link", None), self.label_kind_)
        else:
            rows = self._validation_rows("calibrate", X, y)
            calibration = learn_calibration(self.model_, *rows, method, n_threads(self.n_jobs))
        self.model_ = self.model_.calibrated(calibration)
        return self

    def tune_thresholds(
        self, X: Any = None, y: Any = None, objective: str | None = "macro_f1"
    ) -> Self:
        """Learn from rows that were not in training which labels `predict` is to give.

        `predict` goes by what was learnt, whatever `threshold` is set to, until the next fit,
        calibrate or tune_thresholds; `predict(X, threshold=...)` asks for once with another one.

        Parameters
        ----------
        X, y
            Features and labels of validation rows; all labels must be known from training.
        objective
            "macro_f1" finds a threshold for each label, "micro_f1" one for all labels;
            "expected_f1" takes as many labels for each row as its probabilities promise the best
            F1 for. None, which needs no rows, goes back to `threshold`.

        Examples
        --------
        >>> from labeltree import PLTClassifier
        >>> X, y = [[1, 0], [0, 1]] * 5, [["tea"], ["bread"]] * 5
        >>> clf = PLTClassifier().fit(X, y).tune_thresholds(X, y, "micro_f1")
        >>> clf.predict_labels([[1, 0]])
        [['tea']]
        """
        check_is_fitted(self, "model_")
        if self.label_kind_ == "classes":
            raise ValueError(
                "thresholds are for rows with any number of labels, but y had one class for each "
                "row; predict gives the most probable one"
            )
        if objective is None:
            calibration = replace(self.model_.calibration, objective=None, thresholds=None)
        else:
            rows = self._validation_rows("tune_thresholds", X, y)
            calibration = learn_thresholds(
                self.model_, *rows, objective, self.threshold, n_threads(self.n_jobs)
            )
        self.model_ = self.model_.calibrated(calibration)
        return self

    def _validation_rows(self, name: str, X: Any, y: Any) -> tuple[FeatureMatrix, LabelRows]:
        features = validation.query_features(self, X)
        if self.label_kind_ == "classes":
            y = targets.as_classes(y)
        rows = as_labels(y, names=self.classes_)
        targets.check_same_rows(features, rows)
        if not len(rows.indices):
            raise ValueError(f"{name} needs rows with labels, but no row of y has any")
        return self.scaling_(features, n_threads(self.n_jobs)), rows
