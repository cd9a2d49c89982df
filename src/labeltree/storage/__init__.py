"""The model file: one file with all that a fitted estimator is, mapped when it is opened."""

from labeltree.storage.container import Contents, read_file, write_file
from labeltree.storage.errors import ModelFileError
from labeltree.storage.files import load, restore, save

__all__ = ["Contents", "ModelFileError", "load", "read_file", "restore", "save", "write_file"]
