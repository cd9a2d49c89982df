"""labeltree serve, Annif's server and a plain FastAPI handler, under load from wrk on loopback.

Needs wrk and the extra labeltree[serve]. Creates an environment with Annif, omikuji and FastAPI in
build/serve, trains each system on the same docstrings, and asks each server for the same texts.
"""

from benchmarks.pages.serve.measure import add_arguments, measure
from benchmarks.pages.serve.tables import page

__all__ = ["add_arguments", "measure", "page"]

RUNS = {"docstrings": "--max-texts 20000 --seconds 5"}
MINUTES = 4
MINUTES_FROM = "CPU times in results"
NEEDS = ("wrk", "two cores", "rivals")
