"""The method, slowly and plainly: what the native code is judged by, one module per step.

Trees are nested lists with label numbers at the leaves, label matrices are lists of sets.
"""
