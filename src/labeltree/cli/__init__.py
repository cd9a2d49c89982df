"""The command line, with the names and defaults of the library.

`labeltree train | tune | update | stream | predict | evaluate | explain | plan | tree | inspect
| convert | push | pull | serve | demo | completion`

Exit codes: 0 success; 1 bad data or failure, or no tree within the budget; 2 wrong usage; 130
Ctrl-C.
"""

from __future__ import annotations

import argparse
import errno
import io
import os
import re
import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext, redirect_stdout
from typing import Any, TextIO, cast

import labeltree
from labeltree.cli import (
    completion,
    convert,
    demo,
    evaluate,
    explain,
    inspect,
    plan,
    predict,
    pull,
    push,
    serve,
    stream,
    train,
    tree,
    tune,
    update,
)
from labeltree.cli.inputs import UsageError
from labeltree.cli.outputs import check_outputs
from labeltree.cli.plan import INTERRUPTED
from labeltree.cli.terminal import VisibleText, visible

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
    push,
    pull,
    serve,
    demo,
    completion,
)
# Problems with the data, the disk or the installation; anything else is a bug and is raised.
_EXPECTED = (ValueError, TypeError, OSError, ImportError, MemoryError)
_WRONG_USAGE = 2
_POSITIONAL = ("data", "model", "text", "x", "y")
# Functions that messages of the library recommend, and what commands have instead.
_REMEDIES = {"use write_jsonl": "use --to jsonl"}


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
            # A question mark in place of × or of a character in a label is better than no output.
            output.reconfigure(errors="replace")
    try:
        arguments = make_parser().parse_args(argv)
    except SystemExit as done:  # argparse has printed the message
        return done.code if isinstance(done.code, int) else _WRONG_USAGE
    try:
        check_outputs(arguments)
        with _visible_output():
            code: int = arguments.run(arguments)
        sys.stdout.flush()
    except KeyboardInterrupt:
        print("labeltree: interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        # The reader, such as head, has closed the pipe.
        _discard_output()
        return 0
    except _EXPECTED as error:
        if arguments.verbose:
            raise
        try:
            sys.stdout.flush()
        except OSError:  # a full disk
            _discard_output()
        sentence = _sentence(error, arguments)
        print(f"labeltree: {visible(sentence)}", file=sys.stderr)
        # A message of the library about a parameter has become one about an option.
        is_parameter = sentence.startswith("--") and not str(error).startswith("--")
        return _WRONG_USAGE if is_parameter or isinstance(error, UsageError) else 1
    return code


def _visible_output() -> AbstractContextManager[Any]:
    """Escape what could control a terminal; files and pipes get the text as it is."""
    if not sys.stdout.isatty():
        return nullcontext()
    return redirect_stdout(cast(TextIO, VisibleText(sys.stdout)))


def _discard_output() -> None:
    """Discard buffered standard output, which Python would try to write again at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of all commands."""
    parser = argparse.ArgumentParser(
        prog="labeltree",
        description="Probabilistic label trees with known and minimized training cost.",
        epilog="Run labeltree COMMAND --help for the options and examples of a command.",
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
        verbosity = command.add_mutually_exclusive_group()
        verbosity.add_argument("-q", "--quiet", action="store_true", help="print results only")
        verbosity.add_argument(
            "-v", "--verbose", action="store_true", help="show the traceback of errors"
        )
        module.add_arguments(command)
        command.set_defaults(run=module.run)
    return parser


def _sentence(error: BaseException, arguments: argparse.Namespace) -> str:
    if isinstance(error, OSError) and error.filename is not None and error.strerror:
        return f"{error.filename}: {error.strerror}"
    if isinstance(error, OSError) and error.errno == errno.ENOSPC:
        return f"standard output: {error.strerror}"  # errors of files have a name
    if isinstance(error, MemoryError):
        return "not enough memory"
    message = " ".join(str(error).split()) or type(error).__name__
    return _naming_options(_naming_data(message), set(vars(arguments)) - set(_POSITIONAL))


def _naming_data(message: str) -> str:
    """Return a message of the library without the names X, Y and those of functions.

    Examples
    --------
    >>> _naming_data("at least 2 labels, but Y has 1")
    'at least 2 labels, but the data has 1'
    """
    for function, remedy in _REMEDIES.items():
        message = message.replace(function, remedy)
    if re.search(r"\bX\b", message) and re.search(r"\bY\b", message):
        message = re.sub(r"\bX has\b", "the features have", message)
        return re.sub(r"\bY has\b", "the labels have", message)
    return re.sub(r"(?<![-\w./])[XY](?= (?:has|is|must)\b)", "the data", message)


def _naming_options(message: str, names: set[str]) -> str:
    """Return a message of the library with options in place of parameter names.

    Names without an underscore are also English words, so they are replaced at the start and after
    "set" only. The name of a reader becomes the format that it reads.

    Examples
    --------
    >>> _naming_options("C must be above 0, as n_jobs is 3 and C is -1", {"C", "n_jobs"})
    '--C must be above 0, as --n-jobs is 3 and C is -1'
    >>> _naming_options("set delimiter, or use read_csv", {"delimiter", "format"})
    'set --delimiter, or use --format csv'
    """

    def option(match: re.Match[str]) -> str:
        name = match[0]
        is_option = name in names and ("_" in name or match.start() == 0 or match[1] is not None)
        return "--" + name.replace("_", "-") if is_option else name

    if "format" in names:
        message = re.sub(r"\bread_(csv|tsv|jsonl|fasttext|parquet|xmc)\b", r"--format \1", message)
    return re.sub(r"(?<![-\w])\w+(?= (?:must|is|are)\b)|(?<=\bset )(\w+)", option, message)
