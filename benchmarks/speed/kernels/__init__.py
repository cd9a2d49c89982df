"""Timed kernels: each module checks the result and reports the speed."""
