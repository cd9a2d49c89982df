"""Errors about model files."""

from __future__ import annotations


class ModelFileError(ValueError):
    """Raised for a file that is not a model, is damaged, or needs a later release.

    Examples
    --------
    >>> issubclass(ModelFileError, ValueError)
    True
    """
