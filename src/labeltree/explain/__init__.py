"""Why a label has its probability."""

from labeltree.explain.explanation import Explanation

__all__ = ["Explanation"]
