"""A worker, a node or the driver dies at a random moment, and the model file has the same bytes."""

import hashlib
import os
import random
import signal
import subprocess
import sys
import time

import pytest

pytest.importorskip("ray", reason='needs Ray: pip install "labeltree[ray]"')

from labeltree import PLTClassifier
from tests.ray.conftest import ROOT
from tests.ray.fits import SlowExecutor, data, digest, kill_worker

# Moments of each kind; a whole check has 10.
MOMENTS = range(int(os.environ.get("LABELTREE_RAY_MOMENTS", "2")))
N_JOBS = 40  # of the fit, at least


@pytest.fixture(scope="module")
def expected(tmp_path_factory) -> str:
    return digest(PLTClassifier(n_jobs=1).fit(*data()), tmp_path_factory.mktemp("expected"))


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_killed_worker_changes_nothing(moment, nodes, expected, tmp_path) -> None:
    nodes.resize(2)
    executor = SlowExecutor(random.Random(moment).randrange(1, N_JOBS), kill_worker)
    model = PLTClassifier(executor=executor).fit(*data())
    assert digest(model, tmp_path) == expected
    assert len(executor.reports) >= N_JOBS


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_node_that_is_removed_changes_nothing(moment, nodes, expected, tmp_path) -> None:
    nodes.resize(2)
    after = random.Random(moment).randrange(1, N_JOBS)
    executor = SlowExecutor(after, lambda _: nodes.remove())
    model = PLTClassifier(executor=executor).fit(*data())
    assert digest(model, tmp_path) == expected


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_killed_driver_that_starts_again_writes_the_same_file(
    moment, nodes, expected, tmp_path
) -> None:
    nodes.resize(2)
    names = [nodes.address, str(tmp_path / "parts"), str(tmp_path / "model.lt")]
    program = "import sys; from tests.ray.fits import main; main(*sys.argv[1:])"
    command = [sys.executable, "-c", program, *names]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE) as driver:
        assert driver.stdout is not None
        assert driver.stdout.readline() == b"connected\n"
        wanted = random.Random(moment).randrange(1, N_JOBS - 10)
        while len(list((tmp_path / "parts").glob("tree0-*.npz"))) < wanted:
            assert driver.poll() is None
            time.sleep(0.02)
        driver.send_signal(signal.SIGKILL)
    kept = set((tmp_path / "parts").glob("tree0-*.npz"))
    assert len(kept) >= wanted
    assert not (tmp_path / "model.lt").exists()
    subprocess.run(command, cwd=ROOT, check=True)
    assert hashlib.sha256((tmp_path / "model.lt").read_bytes()).hexdigest() == expected
