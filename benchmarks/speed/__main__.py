"""Measure the kernels of labeltree.

python -m benchmarks.speed instructions --compare   # guard: counts by callgrind
python -m benchmarks.speed times --compare          # wall and CPU time, on a quiet machine
"""

from __future__ import annotations

import argparse
import sys

from benchmarks.speed import instructions, times

COMMANDS = {"instructions": instructions, "times": times}


def options(arguments: list[str] | None = None) -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.speed",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(dest="command", required=True)
    for name, module in COMMANDS.items():
        command = commands.add_parser(name, description=module.__doc__)
        command.formatter_class = parser.formatter_class
        module.add_arguments(command)
    return parser.parse_args(arguments)


def main(arguments: list[str] | None = None) -> int:
    """Run a command and return its exit status."""
    asked = options(arguments)
    status: int = COMMANDS[asked.command].run(asked)
    return status


if __name__ == "__main__":
    sys.exit(main())
