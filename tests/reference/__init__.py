"""Slow, plain implementations that the native code is tested against, one module per step.

Trees are nested lists with label numbers at the leaves, label matrices are lists of sets.
"""
