import _thread
import subprocess
import sys
import threading

import pytest

from labeltree.execution.background import Background

GUARD = 60.0  # seconds; only a call that hangs takes them

# Threads end before their first line, as they do if memory is short.
FIT_WITHOUT_THREADS = """
import _thread, sys, threading
import numpy as np
from labeltree import PLTClassifier

start = _thread.start_new_thread

def fail(*_):
    raise MemoryError

def start_failing(function, *arguments):
    return start(fail, ())

X = np.eye(6)[np.arange(120) % 6]
Y = [[f"label {i % 6}"] for i in range(120)]
expected = PLTClassifier(n_jobs=1).fit(X, Y).predict_proba(X)
_thread.start_new_thread = threading._start_new_thread = start_failing
sys.unraisablehook = lambda _: None
found = PLTClassifier(n_jobs=int(sys.argv[1])).fit(X, Y).predict_proba(X)
print((found != expected).sum())
"""


def _not_started(*_: object) -> int:
    return 0


def _refused(*_: object) -> int:
    raise RuntimeError("can't start new thread")


def test_calls_run_while_the_caller_goes_on() -> None:
    is_done, threads = threading.Event(), []
    with Background() as background:
        background.submit(lambda: (threads.append(_thread.get_ident()), is_done.set()))
        assert is_done.wait(GUARD)
        background.finish()
    assert threads != [_thread.get_ident()]


def test_calls_run_one_after_the_other_in_their_order() -> None:
    found: list[int] = []
    with Background() as background:
        for i in range(1000):
            background.submit(lambda i=i: found.append(i))
        background.finish()
    assert found == list(range(1000))


@pytest.mark.parametrize("start", [_not_started, _refused])
def test_calls_run_without_a_thread(start, monkeypatch) -> None:
    monkeypatch.setattr(_thread, "start_new_thread", start)
    found: list[int] = []
    with Background() as background:
        background.submit(lambda: found.append(1))
        background.submit(lambda: found.append(2))
        background.finish()
    assert found == [1, 2]


def test_calls_may_be_left_to_the_end() -> None:
    threads: list[int] = []
    with Background(has_thread=False) as background:
        background.submit(lambda: threads.append(_thread.get_ident()))
        assert threads == []
        background.finish()
    assert threads == [_thread.get_ident()]


def test_the_caller_is_told_of_the_first_failure_and_later_calls_do_not_run() -> None:
    found: list[int] = []
    with Background() as background:
        background.submit(lambda: found.append(1))
        background.submit(lambda: found[7])
        background.submit(lambda: found.append(2))
        with pytest.raises(IndexError):
            background.finish()
    assert found == [1]


def test_the_call_that_has_begun_ends_before_the_context_and_others_do_not_begin() -> None:
    has_begun, may_end, found = threading.Event(), threading.Event(), []

    def first() -> None:
        has_begun.set()
        assert may_end.wait(GUARD)
        found.append(1)

    with Background() as background:
        background.submit(first)
        background.submit(lambda: found.append(2))
        assert has_begun.wait(GUARD)
        threading.Timer(0.05, may_end.set).start()
    assert found == [1]


@pytest.mark.parametrize("n_jobs", ["1", "2"])
def test_fit_does_not_wait_for_a_thread_that_ended_before_it_began(n_jobs) -> None:
    command = [sys.executable, "-c", FIT_WITHOUT_THREADS, n_jobs]
    done = subprocess.run(command, capture_output=True, text=True, timeout=GUARD, check=False)
    assert (done.stdout, done.returncode) == ("0\n", 0), done.stderr
