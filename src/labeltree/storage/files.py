"""Estimators to model files and back."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, cast

from sklearn.utils.validation import check_is_fitted

from labeltree.data.files import Source, file_name
from labeltree.storage.container import Contents, read_file, write_file
from labeltree.storage.errors import ModelFileError
from labeltree.storage.hub_files import local_file
from labeltree.storage.registry import check_kind, kind_of, known_sections

if TYPE_CHECKING:  # estimators import this module
    from labeltree.estimators import PLTClassifier
    from labeltree.text import TextTagger


def save(estimator: Any, path: str | os.PathLike[str]) -> None:
    """Write a fitted estimator to a model file; `PLTClassifier.save` calls this."""
    check_is_fitted(estimator)
    check_kind(estimator)
    write_file(path, estimator._sections())


def load(path: Source, *, verify: bool = True) -> PLTClassifier | TextTagger:
    """Return the estimator of a model file that `save` wrote; no code in it is executed.

    The file is memory-mapped, so processes that open the same file share its pages. Do not modify
    it in place while it is in use. Saving over it is safe, as `save` writes a new file and renames
    it.

    Parameters
    ----------
    path
        The model file: its path; an open binary file, which is copied to an unnamed temporary file;
        or an address ``hf://owner/name[/file][@revision]`` on the Hugging Face hub, which needs
        ``pip install "labeltree[hub]"``. The file on the hub is model.lt unless it is named.
    verify
        Whether to compare the checksums of all arrays, which detect accidental damage. Without
        this, a file of any size opens at once. Everything else is always checked, and no file can
        make a prediction read outside of it or return NaN; `labeltree inspect --verify` checks
        each weight.

    Returns
    -------
    PLTClassifier, HSMClassifier or TextTagger
        Returns the same predictions as the saved one, bit for bit. Parameters that describe a run
        have their defaults: `n_jobs`, `verbose`, `max_memory`, `checkpoint_dir` and `executor`.

    Raises
    ------
    ModelFileError
        If the file is not a model file, is damaged, or needs a later release.
    FileNotFoundError
        If the file does not exist.

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
    path = local_file(path)
    contents = read_file(path, known=known_sections(), verify=verify)
    return cast("PLTClassifier | TextTagger", restore(path, contents, every_weight=False))


def restore(path: Source, contents: Contents, *, every_weight: bool) -> Any:
    """Return the estimator of what was read from a file; the path is for error messages.

    With `every_weight`, weights are checked one by one. This takes longer than everything else,
    and a search stays within its arrays and returns probabilities whatever the weights are.
    """
    try:
        kind = kind_of(contents.sections)
        estimator = kind._from_sections(contents.sections, every_weight=every_weight)
    except ValueError as error:
        raise ModelFileError(f"{file_name(path)}: {error}") from None
    contents.release_pages()
    return estimator
