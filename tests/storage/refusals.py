"""What tests of hostile model files share."""

from pathlib import Path

import numpy as np
import pytest

import labeltree as lt
from labeltree import ModelFileError, PLTClassifier
from tests.model_files import arrays_of, put, section
from tests.storage.small_model import X, Y


def is_refused(path: Path, file: bytes, match: str) -> None:
    """Check that a file is refused with a sentence that names it."""
    attacked = put(path.parent, file)
    with pytest.raises(ModelFileError, match=match) as failure:
        lt.load(attacked)
    assert str(failure.value).startswith(str(attacked))


def array_of(path: Path, name: str) -> np.ndarray:
    """Return a copy of an array of a file."""
    return arrays_of(path)[name].copy()


def online_file(folder: Path) -> Path:
    """Write a model that learned online."""
    PLTClassifier(n_jobs=1).partial_fit(X, Y).save(folder / "online.lt")
    return folder / "online.lt"


def rename_array(before: str, after: str, name: str):
    """Return an edit that gives an array of a section another name."""

    def edit(parts) -> None:
        for entry in section(parts, name)["arrays"]:
            entry["name"] = after if entry["name"] == before else entry["name"]

    return edit
