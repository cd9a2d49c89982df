"""Explanations of the probability of a label."""

from labeltree.explain.explanation import Explanation

__all__ = ["Explanation"]
