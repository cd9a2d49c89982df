"""Lets `python -m labeltree.cli` run the command line."""

import sys

from labeltree.cli import main

sys.exit(main())
