"""`python -m labeltree`, the same as `labeltree`."""

import sys

from labeltree.cli import main

if __name__ == "__main__":
    sys.exit(main())
