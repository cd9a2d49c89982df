"""Estimators to model files and back."""

from __future__ import annotations

import os
from typing import Any

from sklearn.utils.validation import check_is_fitted

from labeltree.storage.container import Contents, read_file, write_file
from labeltree.storage.errors import ModelFileError
from labeltree.storage.registry import check_kind, find_kind


def save(estimator: Any, path: str | os.PathLike[str]) -> None:
    """Write a fitted estimator to a model file; `PLTClassifier.save` calls this."""
    check_is_fitted(estimator)
    check_kind(estimator)
    write_file(path, *estimator._contents())


def load(path: str | os.PathLike[str], *, verify: bool = True) -> Any:
    """Return the estimator of a model file that `save` wrote; nothing in it is executed.

    The file is mapped, so processes that open the same one share its pages. It must not be changed
    in place while it is in use; `save` never does that, as it writes a new file and renames it.

    Parameters
    ----------
    path
        The model file.
    verify
        Whether to compare the checksums of all arrays, which find damage by accident. Without, a
        file opens at once whatever its size. All else is checked always, and no file can make an
        answer read outside of it or give NaN; `labeltree inspect --verify` looks at every weight.

    Returns
    -------
    PLTClassifier, HSMClassifier or TextTagger
        Answers bit for bit as the saved one did. `checkpoint` is not kept.

    Raises
    ------
    ModelFileError
        If it is no model file, is damaged, or needs a later release.
    FileNotFoundError
        If there is no file.

    Examples
    --------
    >>> import tempfile
    >>> from labeltree import PLTClassifier
    >>> clf = PLTClassifier().fit([[1, 0], [0, 1]], [["tea", "milk"], ["bread"]])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     clf.save(f"{folder}/model.lt")
    ...     load(f"{folder}/model.lt").predict_labels([[0, 1]])
    [['bread']]
    """
    return restore(path, read_file(path, verify=verify), every_weight=False)


def restore(path: str | os.PathLike[str], contents: Contents, *, every_weight: bool) -> Any:
    """Return the estimator of what was read from a file, whose name is for error messages.

    With `every_weight`, weights are looked at one by one: that takes longer than all the rest, and
    a query stays within its arrays and gives a probability whatever they are.
    """
    try:
        kind = find_kind(contents.header.get("estimator"))
        estimator = kind._from_contents(contents.header, contents.arrays, every_weight=every_weight)
    except ValueError as error:
        raise ModelFileError(f"{os.fspath(path)}: {error}") from None
    contents.release_pages()
    return estimator
