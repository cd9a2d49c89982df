"""Command line of all figures; see the package."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import benchmarks.figures
from benchmarks.figures import record
from benchmarks.figures.check import problems
from benchmarks.figures.checkout import code_commit, prepare
from benchmarks.figures.claims import claimed
from benchmarks.figures.exceptions import Exceptions
from benchmarks.figures.needs import why_not
from benchmarks.figures.parts import PAGES, Part, all_parts, named
from benchmarks.figures.runner import duration, run_parts
from benchmarks.machine import RESULTS, ROOT
from benchmarks.markdown import table
from benchmarks.pages.__main__ import kept, write

FIGURES = ROOT / "build" / "figures"
RIVALS = "benchmarks.rivals"


def options(arguments: list[str] | None = None) -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.figures",
        description=benchmarks.figures.__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(dest="command", required=True)
    for name, about in (
        ("plan", "list the parts and how long each takes"),
        ("status", "list what is measured, missing and not possible here"),
        ("run", "measure the parts that have no result of the commit"),
    ):
        command = commands.add_parser(name, help=about)
        command.add_argument("parts", nargs="*", metavar="PART", help="pages or parts (all)")
        command.add_argument(
            "--without", nargs="+", default=[], metavar="PART", help="pages or parts to leave out"
        )
        command.add_argument("--commit", default="HEAD", help="commit to measure (HEAD)")
        command.add_argument("--data", type=Path, help="folder of data sets")
        if name == "run":
            command.add_argument("--extras", default="test", help="extras to install, such as ray")
            command.add_argument(
                "--rivals",
                action="store_true",
                help="measure other systems again, even in the same version and machine",
            )
    commands.add_parser("write", help="write the pages from the results")
    commands.add_parser("check", help="check that pages and results agree")
    return parser.parse_args(arguments)


def plan_table(parts: list[Part], asked: argparse.Namespace) -> str:
    """Return the parts, their minutes and what they need."""
    rows = []
    for part in parts:
        minutes = record.minutes(part, RESULTS)
        source = "last run" if record.run_of(part, RESULTS) else part.source
        needs = ", ".join((*part.data_sets(), *part.needs))
        state = state_of(part, asked)
        rows.append([part.name, part.file, needs, duration(minutes), source, state])
    total = sum(record.minutes(part, RESULTS) for part in parts)
    rows.append(["all", "", "", duration(total), "", ""])
    return table(["part", "results", "needs", "time", "time from", "state"], rows, n_text=3)


def state_of(part: Part, asked: argparse.Namespace) -> str:
    """Return whether a part is measured, can be, or why not."""
    if record.is_done(part, code_commit(asked.commit), RESULTS):
        return "measured"
    reason = why_not(part, asked.data, Path(sys.executable))
    return "to measure" if reason is None else f"not here: {reason}"


def status_lines(parts: list[Part], asked: argparse.Namespace) -> list[str]:
    """Return the state of each part, the time left, and the exceptions."""
    states = {part: state_of(part, asked) for part in parts}
    left = [part for part, state in states.items() if state == "to measure"]
    minutes = sum(record.minutes(part, RESULTS) for part in left)
    lines = [f"{state:12s} {part.name}" for part, state in states.items()]
    lines.append(f"{len(left)} of {len(parts)} parts to measure, about {duration(minutes)}")
    for file, entry in Exceptions.read().entries.items():
        lines.append(f"exception: {file} at {', '.join(entry['commits'])}: {entry['reason']}")
    return lines


def run(parts: list[Part], asked: argparse.Namespace) -> int:
    """Measure, write the pages and return the exit status."""
    data = asked.data.resolve() if asked.data else None
    with claimed(FIGURES, "checkout", wait=True):
        checkout = prepare(asked.commit, asked.extras)

    def kept_others(part: Part) -> list[str]:
        return ["--keep-others"] if part.module == RIVALS and not asked.rivals else []

    summary = run_parts(
        parts,
        checkout,
        data or Path(),
        RESULTS,
        why_not=lambda part: why_not(part, data, checkout.python),
        more=kept_others,
        say=lambda text: print(text, flush=True),
    )
    if summary.done:
        with claimed(checkout.claims, "pages", wait=True):
            Exceptions.read().pruned().write()
            write_pages()
    print(
        f"{len(summary.done)} measured, {len(summary.skipped)} already of {checkout.commit}, "
        f"{len(summary.not_run)} not run, {len(summary.failed)} failed"
    )
    return 130 if summary.is_interrupted else int(bool(summary.failed))


def write_pages() -> None:
    """Write all pages from the results."""
    for name in PAGES:
        write(name, kept(name))


def main(arguments: list[str] | None = None) -> int:
    """Run a command and return its exit status."""
    asked = options(arguments)
    if asked.command == "write":
        write_pages()
        return 0
    if asked.command == "check":
        found = problems()
        print("\n".join(found) or "pages and results agree")
        return int(bool(found))
    parts = named(all_parts(), asked.parts, asked.without)
    if asked.command == "run":
        return run(parts, asked)
    print(
        plan_table(parts, asked)
        if asked.command == "plan"
        else "\n".join(status_lines(parts, asked))
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
