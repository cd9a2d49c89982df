"""The optimum of small label matrices beside every tree builder, bounds and cliques.

    python -m benchmarks.pages theory

Everything is counted, nothing is timed: the figures are the same on every machine.
"""

from benchmarks.pages.theory.measure import add_arguments, measure
from benchmarks.pages.theory.tables import page

__all__ = ["add_arguments", "measure", "page"]

MINUTES = 0.6
MINUTES_FROM = "CPU time, measured once"
