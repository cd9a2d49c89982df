"""`python -m labeltree.cli`, equivalent to `labeltree`."""

import sys

from labeltree.cli import main

if __name__ == "__main__":
    sys.exit(main())
