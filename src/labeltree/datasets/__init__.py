"""Example data sets: docstrings of installed packages, EURLex-4K, and your own files."""

from labeltree.datasets.docstrings import python_docs
from labeltree.datasets.eurlex import eurlex4k
from labeltree.datasets.kinds import MatrixData, TextData
from labeltree.datasets.xmc_files import xmc

__all__ = ["MatrixData", "TextData", "eurlex4k", "python_docs", "xmc"]
