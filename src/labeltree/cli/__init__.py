"""The command line, with the words and defaults of the library.

`labeltree train | tune | update | stream | predict | evaluate | explain | plan | tree | inspect
| convert | demo`

Exit codes: 0 done; 1 it failed, or no tree is within the budget; 2 wrong usage; 130 Ctrl-C.
"""

from __future__ import annotations

import argparse
import errno
import io
import os
import sys
from collections.abc import Sequence

import labeltree
from labeltree.cli import (
    convert,
    demo,
    evaluate,
    explain,
    inspect,
    plan,
    predict,
    stream,
    train,
    tree,
    tune,
    update,
)
from labeltree.cli.inputs import UsageError
from labeltree.cli.plan import INTERRUPTED

_COMMANDS = (
    train,
    tune,
    update,
    stream,
    predict,
    evaluate,
    explain,
    plan,
    tree,
    inspect,
    convert,
    demo,
)
# What is wrong with the data, the disk or the installation; all else is a bug and may show itself.
_EXPECTED = (ValueError, TypeError, OSError, ImportError, MemoryError)
_WRONG_USAGE = 2


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code.

    Examples
    --------
    >>> main(["--version"])
    labeltree 0.1.0
    0
    """
    for output in (sys.stdout, sys.stderr):
        if isinstance(output, io.TextIOWrapper):
            # A question mark in the place of × or of a label's letter is better than no answer.
            output.reconfigure(errors="replace")
    try:
        arguments = _parser().parse_args(argv)
    except SystemExit as done:  # argparse has said all there is to say
        return done.code if isinstance(done.code, int) else _WRONG_USAGE
    try:
        code: int = arguments.run(arguments)
        sys.stdout.flush()
    except KeyboardInterrupt:
        print("labeltree: stopped", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        # The reader, such as head, has seen enough.
        _discard_output()
        return 0
    except _EXPECTED as error:
        if arguments.verbose:
            raise
        try:
            sys.stdout.flush()
        except OSError:  # a full disk
            _discard_output()
        print(f"labeltree: {_sentence(error)}", file=sys.stderr)
        return _WRONG_USAGE if isinstance(error, UsageError) else 1
    return code


def _discard_output() -> None:
    """Send what standard output still holds to nowhere; Python would try again when it exits."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="labeltree",
        description="Probabilistic label trees that know and minimise what they cost.",
        epilog="labeltree COMMAND --help shows the options and examples of a command.",
    )
    parser.add_argument("--version", action="version", version=f"labeltree {labeltree.__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for module in _COMMANDS:
        name = module.__name__.rpartition(".")[2]
        command = commands.add_parser(
            name,
            help=module.SUMMARY,
            description=f"{module.SUMMARY[0].upper()}{module.SUMMARY[1:]}.",
            epilog=f"examples:\n{module.EXAMPLES}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        loudness = command.add_mutually_exclusive_group()
        loudness.add_argument("-q", "--quiet", action="store_true", help="say only what was asked")
        loudness.add_argument("-v", "--verbose", action="store_true", help="show where errors are")
        module.add_arguments(command)
        command.set_defaults(run=module.run)
    return parser


def _sentence(error: BaseException) -> str:
    if isinstance(error, OSError) and error.filename is not None and error.strerror:
        return f"{error.filename}: {error.strerror}"
    if isinstance(error, OSError) and error.errno == errno.ENOSPC:
        return f"standard output: {error.strerror}"  # as files have names
    if isinstance(error, MemoryError):
        return "there is not enough memory"
    return " ".join(str(error).split()) or type(error).__name__
