"""Kernels of labeltree: their times, and instruction counts as a guard that load cannot affect."""
