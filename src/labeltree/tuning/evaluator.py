"""Training of settings on a sample of the rows, and evaluation on held-out rows."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from time import monotonic
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from labeltree import metrics
from labeltree.data import LabelRows, as_labels
from labeltree.data.features import FeatureMatrix
from labeltree.estimators import PLTClassifier, validation
from labeltree.model import Calibration
from labeltree.text.features import TextFeatures
from labeltree.text.options import OPTION_NAMES, TextOptions
from labeltree.trees import LabelTree
from labeltree.tuning.space import Settings

_KS = (1, 3, 5)
RANKINGS: tuple[str, ...] = tuple(f"{name}@{k}" for name in ("P", "R", "nDCG", "PSP") for k in _KS)
SETS: tuple[str, ...] = ("micro_F1", "macro_F1")


@dataclass(frozen=True)
class Outcome:
    """A classifier trained on a sample, with its validation features and metrics."""

    classifier: PLTClassifier
    X_validation: FeatureMatrix | None  # None if it was trained by a worker
    labels: NDArray[np.int64]  # number of each of the classifier's labels among all labels
    figures: dict[str, float]
    seconds: float


class Evaluator:
    """Trains and evaluates settings; smaller samples are subsets of larger ones.

    Parameters
    ----------
    X
        Features, or a list of texts.
    Y
        Labels.
    fixed
        Parameters shared by all settings.
    holdout
        Fraction of the rows held out for evaluation, and the maximum number of such rows.
    sets
        Whether predicted label sets are evaluated, too.
    seed
        Seed for drawing the samples.
    """

    def __init__(
        self,
        X: Any,
        Y: Any,
        *,
        fixed: Mapping[str, Any],
        holdout: tuple[float, int],
        sets: bool,
        seed: int,
    ) -> None:
        self.is_text = is_texts(X)
        features = None if self.is_text else validation.training_features(X)
        self._X: Any = list(X) if features is None else features
        n_rows = len(self._X) if features is None else features.shape[0]
        tree = fixed.get("tree")
        given = [tree] if isinstance(tree, LabelTree) else []
        if tree is not None and not isinstance(tree, str | LabelTree):
            given = list(tree)
        self._rows = validation.training_labels(Y, given)
        # The given tree or weights refer to labels by name or number.
        self._all_labels = bool(given) or isinstance(fixed.get("class_weight"), Mapping)
        self._fixed, self._sets = fixed, sets
        if n_rows != self._rows.n_rows:
            raise ValueError(f"X has {n_rows} rows, but Y has {self._rows.n_rows}")
        n_holdout = min(round(holdout[0] * n_rows), holdout[1])
        if n_holdout < 2 or n_rows - n_holdout < 3:
            raise ValueError(
                "tuning needs at least 3 training rows and 2 held-out rows, but Y has "
                f"{n_rows} rows, of which {n_holdout} are held out"
            )
        order = np.random.default_rng(seed).permutation(n_rows)
        self._holdout, self._order = np.sort(order[:n_holdout]), order[n_holdout:]
        self.truth = self._rows.select(self._holdout)
        self._propensity = metrics.propensities(self._rows.select(self._order))
        self._vectorized: tuple[Any, Any] | None = None

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | {"_vectorized": None}

    @property
    def n_training(self) -> int:
        """Number of training rows."""
        return len(self._order)

    def n_labels(self, n_rows: int) -> int:
        """Return the number of labels in a sample."""
        return len(np.unique(self._rows.select(self._order[:n_rows]).indices))

    def evaluate(self, settings: Settings, n_rows: int, executor: Any = None) -> Outcome:
        """Train on the first `n_rows` rows in random order, and evaluate on the held-out rows."""
        chosen = np.sort(self._order[:n_rows])
        rows = self._rows.select(chosen)
        labels = np.arange(rows.n_labels)
        if not self._all_labels:
            labels, indices = np.unique(rows.indices, return_inverse=True)
            compact = indices.astype(np.int32)
            rows = LabelRows(rows.indptr, compact, len(labels), None, rows.kind)
        parameters = {**self._fixed, **settings}
        X, X_validation, took = self._features(parameters, chosen)
        start = monotonic()
        names = PLTClassifier().get_params(deep=False)
        known = {name: value for name, value in parameters.items() if name in names}
        with warnings.catch_warnings():  # settings that do not converge have low scores
            warnings.simplefilter("ignore", ConvergenceWarning)
            classifier = PLTClassifier(**known, executor=executor).fit(X, rows)
        figures = self._figures(classifier, X_validation, labels)
        return Outcome(classifier, X_validation, labels, figures, took + monotonic() - start)

    def text_key(self, settings: Settings) -> str:
        """Return a key that is equal for settings with the same text features."""
        return repr(self._text_options({**self._fixed, **settings})) if self.is_text else ""

    def _text_options(self, parameters: Mapping[str, Any]) -> TextOptions:
        return TextOptions(
            **{name: parameters[name] for name in OPTION_NAMES if name in parameters}
        )

    def _features(
        self, parameters: Mapping[str, Any], chosen: NDArray[np.int64]
    ) -> tuple[FeatureMatrix, FeatureMatrix, float]:
        """Return training and validation features, and the seconds it took to compute them."""
        if not self.is_text:
            self._vectorized = self._vectorized or (None, self._X[self._holdout])
            return self._X[chosen], self._vectorized[1], 0.0
        options = self._text_options(parameters)
        key = options, len(chosen)
        if self._vectorized is None or self._vectorized[0] != key:
            self._vectorized = None  # freed first, so that only one is in memory at a time
            start = monotonic()
            texts = [self._X[i] for i in chosen.tolist()]
            held_out = [self._X[i] for i in self._holdout.tolist()]
            fitted, X = TextFeatures.fit(options, texts, None)
            self._vectorized = key, (X, fitted.transform(held_out), monotonic() - start)
        made: tuple[FeatureMatrix, FeatureMatrix, float] = self._vectorized[1]
        return made

    def _figures(
        self, classifier: PLTClassifier, X: FeatureMatrix, labels: NDArray[np.int64]
    ) -> dict[str, float]:
        best, _ = classifier.top_k(X, max(_KS))
        ranked = np.where(best >= 0, labels[best], -1)
        figures = metrics.evaluate(self.truth, ranked, ks=_KS, propensity=self._propensity)
        figures = {name: figures[name] for name in RANKINGS}
        if self._sets:
            # As in `labeltree train`: half of the rows calibrate, the other half evaluates.
            half = X.shape[0] // 2
            calibrate(classifier, X[:half], self.truth.select(slice(0, half)), labels)
            truth = self.truth.select(slice(half, None))
            predicted = _predicted(classifier, X[half:], labels, truth.n_labels)
            figures["micro_F1"] = metrics.micro_f1(truth, predicted)
            figures["macro_F1"] = metrics.macro_f1(truth, predicted)
        return figures

    def calibration(self, outcome: Outcome, settings: Settings, n_rows: int) -> Calibration | None:
        """Return the calibration fitted to the validation rows; None if it is one of nodes."""
        X = outcome.X_validation
        if X is None:
            X = self._features({**self._fixed, **settings}, np.sort(self._order[:n_rows]))[1]
        calibrate(outcome.classifier, X, self.truth, outcome.labels)
        calibration: Calibration = outcome.classifier.model_.calibration
        return None if calibration.slope is not None else calibration


@dataclass(frozen=True)
class FailedTrial:
    """Settings that cannot be trained, such as a min_df that leaves no word."""

    error: str
    seconds: float


@dataclass(frozen=True, eq=False)
class Trials:
    """Trains settings, in this process or in workers."""

    evaluator: Evaluator
    n_rows: int
    n_jobs: int | None = None  # threads of each trial of a worker; None in this process

    def __call__(self, settings: Settings) -> Outcome | FailedTrial:
        start = monotonic()
        own = {} if self.n_jobs is None else {"n_jobs": self.n_jobs}
        try:
            made = self.evaluator.evaluate({**settings, **own}, self.n_rows)
        except ValueError as error:
            return FailedTrial(str(error), monotonic() - start)
        return made if self.n_jobs is None else replace(made, X_validation=None)


def is_texts(X: Any) -> bool:
    """Return whether X is a list of texts rather than a feature matrix."""
    if isinstance(X, str | bytes):
        raise TypeError("texts must be a list of texts, but is a single text; put it in a list")
    if hasattr(X, "shape") and len(X.shape) != 1:
        return False
    first = next(iter(X), None)
    return isinstance(first, str)


def calibrate(
    classifier: PLTClassifier, X: FeatureMatrix, truth: LabelRows, labels: NDArray[np.int64]
) -> None:
    """Calibrate on the rows whose labels the classifier knows, if there are any."""
    known = truth.to_csr()[:, labels]
    if classifier.label_kind_ == "classes":
        has_class = np.flatnonzero(np.diff(known.indptr))
        X, known = X[has_class], known[has_class]
    if known.nnz:
        classifier.calibrate(X, known)


def _predicted(
    classifier: PLTClassifier, X: FeatureMatrix, labels: NDArray[np.int64], n_labels: int
) -> LabelRows:
    """Return predicted labels, numbered as in all rows."""
    if classifier.label_kind_ == "classes":
        return as_labels(labels[classifier.top_k(X, 1)[0]].tolist(), n_labels=n_labels)
    found = classifier._predicted(X)
    indices = labels[found.indices].astype(np.int32)  # labels ascend, so rows stay sorted
    return LabelRows(found.indptr.astype(np.int64), indices, n_labels)
