"""Kernels that are timed: each module asserts the result and reports the speed."""
