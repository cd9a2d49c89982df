"""labeltree and omikuji in the same Annif, on the same texts.

Creates an environment with Annif and this labeltree in build/annif, trains each system from the
same files and evaluates it with Annif's own metrics. Each phase is a new process on one thread.
"""

from benchmarks.pages.annif.measure import add_arguments, measure
from benchmarks.pages.annif.tables import page

__all__ = ["add_arguments", "measure", "page"]

RUNS = {
    "docstrings": "--docstrings --max-texts 10000",
    "wordnet": "--wordnet /usr/share/wordnet --max-texts 10000",
}
MINUTES = {"docstrings": 3, "wordnet": 2}
MINUTES_FROM = dict.fromkeys(RUNS, "CPU times in results")
MINUTES_FROM |= dict.fromkeys(("wordnet",), "CPU time, measured once")
NEEDS = ("rivals",)
