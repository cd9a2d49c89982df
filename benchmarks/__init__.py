"""Benchmarks: speed/ guards the kernels of labeltree, rivals/ compares it with other systems."""
