"""A few kills of each kind; `make kills` runs hundreds."""

from __future__ import annotations

import sys

import pytest

from tests.kills import VICTIMS, Killer

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="forks and kills processes")


def test_nothing_is_lost_by_a_kill_of_any_command(tmp_path) -> None:
    killer = Killer(tmp_path, seed=0, check_leftovers=False)
    killer.run(len(VICTIMS))
    assert killer.failures == []
