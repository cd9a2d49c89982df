"""Measurements: speed/ guards our own kernels, rivals/ compares."""
