"""What is wrong with a model file."""

from __future__ import annotations


class ModelFileError(ValueError):
    """A file that is no model, is damaged, or was written by a later release.

    Examples
    --------
    >>> issubclass(ModelFileError, ValueError)
    True
    """
