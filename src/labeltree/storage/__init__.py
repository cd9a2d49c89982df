"""The model file: one memory-mapped file with everything a fitted estimator has learned."""

from labeltree.storage.container import Contents, read_file, write_file
from labeltree.storage.errors import ModelFileError
from labeltree.storage.files import load, restore, save
from labeltree.storage.section import Section

__all__ = [
    "Contents",
    "ModelFileError",
    "Section",
    "load",
    "read_file",
    "restore",
    "save",
    "write_file",
]
