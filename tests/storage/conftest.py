"""A model, and the file that holds it."""

from pathlib import Path

import pytest

from labeltree import PLTClassifier
from tests.storage.small_model import TREE, X, Y


@pytest.fixture
def clf() -> PLTClassifier:
    return PLTClassifier(tree=TREE, n_jobs=1).fit(X, Y)


@pytest.fixture
def path(clf, tmp_path) -> Path:
    clf.save(tmp_path / "model.lt")
    return tmp_path / "model.lt"
