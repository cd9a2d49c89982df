"""Run a fuzzer: `python -m tests.fuzz model --minutes 10 --seed 1 --jobs 2`."""

from __future__ import annotations

import argparse
import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # numpy reads it when it is imported
# Arrow's own allocator reserves a gigabyte of addresses, which are as many as a worker may have.
os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")

from tests.fuzz.inputs import InputFuzzer
from tests.fuzz.models import ModelFuzzer
from tests.fuzz.readers import ReaderFuzzer
from tests.fuzz.runner import Runner, Tally
from tests.fuzz.verdicts import Finding
from tests.fuzz.worker import Fuzzer, one_case

FUZZERS: dict[str, Callable[[], Fuzzer]] = {
    "model": ModelFuzzer,
    "readers": ReaderFuzzer,
    "inputs": InputFuzzer,
}


def main() -> int:
    """Run the fuzzer; 1 if there are findings."""
    arguments = _parser().parse_args()
    fuzzer = FUZZERS[arguments.fuzzer]()
    if arguments.replay is not None:
        return _replay(fuzzer, arguments.seed, arguments.replay)
    tally = Tally(arguments.fuzzer, arguments.seed)
    runner = Runner(fuzzer, tally, jobs=arguments.jobs, output=arguments.output)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # the summary is still written
    began = time.monotonic()
    try:
        runner.run(arguments.minutes * 60 / arguments.share, arguments.count)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
    seconds = time.monotonic() - began
    runner.write(seconds)
    print(tally.line(seconds))
    return 1 if tally.findings else 0


def _replay(fuzzer: Fuzzer, seed: int, number: int) -> int:
    os.environ["FUZZ_VERBOSE"] = "1"
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    with tempfile.TemporaryDirectory() as folder:
        outcome = one_case(fuzzer, seed, number, Path(folder, "case"))
    if isinstance(outcome, Finding):
        print(f"{outcome.kind} at {outcome.place}: {outcome.message}\n{outcome.report}")
        return 1
    print(outcome)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("fuzzer", choices=FUZZERS)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--share", type=float, default=1.0, help="divides the minutes")
    parser.add_argument("--count", type=int, help="number of cases (default: no limit)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--replay", type=int, metavar="NUMBER", help="run one case and show it")
    parser.add_argument("--output", type=Path, default=Path("build/fuzz"))
    return parser


if __name__ == "__main__":
    sys.exit(main())
