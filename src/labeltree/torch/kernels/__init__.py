"""Triton kernels of the output layers.

One stable sort of the rows by group makes the rows of every node adjacent at every level, so that
each level is one grouped matrix product. Groups do not interact, so the order in which they are
processed is free and the result has the same bits in every run.
"""
