"""Comparison of labeltree with other systems: same features, same rows, same measurements.

Each system has an adapter and its own virtual environment, and each phase runs in its own process.
Code in the environment of a system (`worker` and the adapters) needs numpy and scipy only.
"""
