"""The methods `calibrate` and `tune_thresholds` of estimators."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

from labeltree.arguments import checked
from labeltree.calibration.methods import learn_calibration, learn_held_curve, learn_thresholds
from labeltree.data import LabelRows, as_labels, targets
from labeltree.data.features import FeatureMatrix
from labeltree.data.nested_lists import in_form
from labeltree.estimators.fitted import FittedAttributes
from labeltree.estimators.learning_lock import one_at_a_time
from labeltree.estimators.state import FittedState
from labeltree.model.calibration import ONE, Calibration, fixed_calibration
from labeltree.model.interface import LabelModel
from labeltree.threads import n_threads
from labeltree.training.fit import Fitted
from labeltree.training.held_back import HeldBack
from labeltree.training.label_weighting import label_weights


class CalibrationMixin(FittedAttributes):
    """Methods that learn from held-out rows."""

    threshold: float
    label_weighting: str | float | None

    @checked
    @one_at_a_time
    def calibrate(self, X: Any = None, y: Any = None, method: str | None = "auto") -> Self:
        """Learn from held-out rows how scores become probabilities.

        All predictions use the new probabilities until the next `fit` or `calibrate`. Tuned
        thresholds are dropped, because they were for the old probabilities.

        Parameters
        ----------
        X, y
            Features and labels of rows that were not used in training. All labels must be known
            from training.
        method
            "isotonic" fits an increasing curve over the probabilities of labels, which preserves
            rankings. "sigmoid" fits a curve with two parameters, for few rows. "auto" chooses one
            of the two. "global" and "depth" fit how node scores become probabilities, for all nodes
            or per depth; they may change rankings. "depth_isotonic" fits depth first and then a
            curve. None, which needs no rows, uses a fixed curve.

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
        state = self._fitted
        if method is None:
            before = state.model.calibration
            calibration = fixed_calibration(
                state.model.link,
                state.label_kind,
                before.siblings,
                before.factors,
                before.weights,
                has_rankers=state.has_rankers,
            )
        else:
            rows = self._validation_rows(state, "calibrate", X, y)
            calibration = learn_calibration(state.model, *rows, method, n_threads(self.n_jobs))
        return self._calibrated(state, calibration)

    @checked
    @one_at_a_time
    def tune_thresholds(
        self, X: Any = None, y: Any = None, objective: str | None = "macro_f1"
    ) -> Self:
        """Learn from held-out rows which labels `predict` returns.

        `predict` uses the result, whatever `threshold` is set to, until the next fit, calibrate or
        tune_thresholds. `predict(X, threshold=...)` overrides it for one call.

        Parameters
        ----------
        X, y
            Features and labels of rows that were not used in training. All labels must be known
            from training.
        objective
            "macro_f1" finds one threshold per label, "micro_f1" one for all labels. "expected_f1"
            predicts the number of labels per row that maximizes the expected F1 score. None, which
            needs no rows, restores `threshold`.

        Examples
        --------
        >>> from labeltree import PLTClassifier
        >>> X, y = [[1, 0], [0, 1]] * 5, [["tea"], ["bread"]] * 5
        >>> clf = PLTClassifier().fit(X, y).tune_thresholds(X, y, "micro_f1")
        >>> clf.predict_labels([[1, 0]])
        [['tea']]
        """
        state = self._fitted
        if state.label_kind == "classes":
            raise ValueError(
                "tune_thresholds requires rows with any number of labels, but y had one class per "
                "row; predict returns the most probable class"
            )
        if objective is None:
            calibration = replace(state.model.calibration, objective=None, thresholds=None)
        else:
            rows = self._validation_rows(state, "tune_thresholds", X, y)
            calibration = learn_thresholds(
                state.model, *rows, objective, self.threshold, n_threads(self.n_jobs)
            )
        return self._calibrated(state, calibration)

    def _calibrated_model(
        self,
        fitted: Fitted,
        X: FeatureMatrix,
        rows: LabelRows,
        before: FittedState | None,
    ) -> LabelModel:
        """Return the model of a fit, calibrated by the rows that it held back, if any."""
        calibration, held = fitted.model.calibration, None
        n_jobs = n_threads(self.n_jobs)
        if fitted.held is not None:
            numbers, unseen, scores = fitted.held
            back = HeldBack(X[numbers], rows.select(numbers), scores)
            if calibration.siblings != ONE:
                calibration = replace(calibration, curve=learn_held_curve(unseen, *back, n_jobs))
            scored = replace(unseen.calibration, curve=calibration.curve)
            held = unseen.calibrated(scored), back
        # A warm start with few rows. It has neither rankers nor implications, so that their curve
        # would not fit.
        elif before is not None and not (before.has_rankers or before.implications):
            calibration = before.model.calibration.kept_for(calibration)
        if self.label_weighting is not None:
            weights = label_weights(self.label_weighting, rows, held, n_jobs)
            calibration = replace(calibration, weights=weights)
        return fitted.model.calibrated(calibration)

    def _calibrated(self, state: FittedState, calibration: Calibration) -> Self:
        model = state.model.calibrated(calibration)
        self._state = replace(state, laid_out=model, class_names=state.model_classes)
        return self

    def _validation_rows(
        self, state: FittedState, name: str, X: Any, y: Any
    ) -> tuple[FeatureMatrix, LabelRows]:
        features = self._checked(state, X)
        if state.label_kind == "classes":
            y = targets.as_classes(y)
        rows = as_labels(in_form(y, state.label_kind), names=state.model_classes)
        targets.check_same_rows(features, rows)
        if not len(rows.indices):
            raise ValueError(f"{name} requires rows with labels, but no row of y has any")
        return state.row_scaling(features, n_threads(self.n_jobs)), rows
