"""Predictions of a classifier as suggestions of Annif."""

from __future__ import annotations

from typing import Any

import numpy as np
from annif.suggestion import SuggestionBatch
from numpy.typing import NDArray
from scipy import sparse

from labeltree.data.features import FeatureMatrix
from labeltree.estimators import PLTClassifier


def inactive_labels(classes: NDArray[np.integer], subjects: Any) -> tuple[int, ...]:
    """Return the labels that must not be suggested: subjects that were removed or excluded.

    Parameters
    ----------
    classes
        Labels of a model, which are numbers of subjects.
    subjects
        The subject index of the project.
    """
    active = [number for number, _ in subjects.active]
    return tuple(np.setdiff1d(classes, np.asarray(active, np.int64)).tolist())


def suggest(
    classifier: PLTClassifier,
    X: FeatureMatrix,
    limit: int,
    n_subjects: int,
    inactive: tuple[int, ...],
) -> SuggestionBatch:
    """Return the suggestions for texts, none for texts without a known word.

    Parameters
    ----------
    classifier
        A classifier whose labels are numbers of subjects.
    X
        Features of the texts.
    limit
        Maximum number of suggestions per text.
    n_subjects
        Number of subjects, including those that are inactive.
    inactive
        Labels that are not suggested; the search leaves them out.
    """
    shape = (X.shape[0], n_subjects)
    if limit < 1:
        return SuggestionBatch(sparse.csr_array(shape, dtype=np.float32))
    k = min(limit, len(classifier.classes_))
    found = classifier.predict_proba(X, k=k, exclude_labels=inactive or None)
    found.data *= np.repeat(np.diff(X.indptr) > 0, np.diff(found.indptr))
    subjects = classifier.classes_[found.indices]
    batch = sparse.csr_array((found.data, subjects, found.indptr), shape)
    batch.eliminate_zeros()
    return SuggestionBatch(batch)
