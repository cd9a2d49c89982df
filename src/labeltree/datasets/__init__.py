"""Data to try things on: docstrings on this machine, EURLex-4K, and files of your own."""

from labeltree.datasets.docstrings import python_docs
from labeltree.datasets.eurlex import eurlex4k
from labeltree.datasets.kinds import MatrixData, TextData
from labeltree.datasets.xmc_files import xmc

__all__ = ["MatrixData", "TextData", "eurlex4k", "python_docs", "xmc"]
