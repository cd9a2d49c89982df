"""labeltree and omikuji in the same Annif, on the same texts.

Makes an environment with Annif and this labeltree below build/annif, trains each system from the
same files and evaluates it by Annif's own measures; each phase is a fresh process on one thread.
"""

from benchmarks.pages.annif.measure import add_arguments, measure
from benchmarks.pages.annif.tables import page

__all__ = ["add_arguments", "measure", "page"]
