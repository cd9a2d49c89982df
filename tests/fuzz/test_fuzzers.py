"""A few hundred cases of each fuzzer; `make fuzz` runs many more, under the sanitizers."""

from __future__ import annotations

import ctypes
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.fuzz.__main__ import FUZZERS
from tests.fuzz.runner import Runner, Tally
from tests.fuzz.verdicts import Finding, judged
from tests.fuzz.worker import one_case

N_CASES = {"model": 300, "readers": 400, "inputs": 300}


@pytest.mark.parametrize("name", N_CASES)
def test_no_case_of_a_short_run_is_a_finding(name, tmp_path) -> None:
    fuzzer = FUZZERS[name]()
    cases = [one_case(fuzzer, 17, number, tmp_path / "case") for number in range(N_CASES[name])]
    assert [found for found in cases if isinstance(found, Finding)] == []
    assert set(cases) == {"refused", "answered"}


class RoughFuzzer:
    """Crashes in case 3, hangs in case 5, fails in case 7 and refuses in case 8."""

    def run(self, rng: np.random.Generator, folder: Path) -> str:
        drawn = int(rng.integers(2**40))
        number = next(
            n for n in range(10) if np.random.default_rng([0, n]).integers(2**40) == drawn
        )
        if number == 3:
            ctypes.string_at(0)
        while number == 5:
            pass
        if number == 7:
            raise KeyError("x")
        if number == 8:
            raise ValueError("k must be at least 1, but is 0")
        return "answered"


def test_crashes_and_hangs_are_recorded_and_the_run_goes_on(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr("tests.fuzz.runner.HANG_SECONDS", 0.5)
    runner = Runner(RoughFuzzer(), Tally("rough", 0), jobs=1, output=tmp_path)
    runner.run(60, 10)
    runner.write(1.0)
    summary = json.loads((tmp_path / "rough.json").read_text())
    assert [found["kind"] for found in summary["findings"]] == ["crash", "hang", "KeyError"]
    assert [found["replay"].split()[-1] for found in summary["findings"]] == ["3", "5", "7"]
    assert summary["outcomes"] == {"answered": 6, "refused": 1}


# A frame of texts, in a process that has as much address space as a worker.
FRAME_WITHIN_THE_LIMIT = """
import sys
from pathlib import Path
import tests.fuzz.__main__
from tests.fuzz.worker import _prepare
_prepare(Path(sys.argv[1]))
import pandas
pandas.DataFrame({"text": ["tea", "bread"]})
assert len(bytearray(512 << 20))
"""


def test_tables_leave_their_memory_to_the_cases(tmp_path) -> None:
    folder = tmp_path / "worker"
    command = [sys.executable, "-c", FRAME_WITHIN_THE_LIMIT, str(folder)]
    done = subprocess.run(command, timeout=300, check=False)
    assert done.returncode == 0, folder.with_suffix(".log").read_text()


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (ValueError("k must be at least 1, but is 0"), None),
        (ValueError("oops"), "ValueError (foreign)"),
        (TypeError("f(): incompatible function arguments. The following"), "TypeError (foreign)"),
        (KeyError("x"), "KeyError"),
        (RuntimeWarning("invalid value encountered in divide"), "RuntimeWarning"),
        (UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte"), "UnicodeDecodeError"),
    ],
)
def test_only_plain_sentences_are_allowed(error, kind) -> None:
    found = judged(error)
    assert (found and found.kind) == kind
