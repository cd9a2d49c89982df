"""Input files for the tests of several commands."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from tests.cli.text_files import ROWS, jsonl_of, saved_tagger

XMC = "4 3 4\n0,1 0:1 2:0.5\n1 1:2\n2 0:1 1:1\n3 2:1\n"


@pytest.fixture
def xmc(tmp_path: Path) -> str:
    path = tmp_path / "train.txt"
    path.write_text(XMC)
    return str(path)


@pytest.fixture
def jsonl(tmp_path: Path) -> str:
    return jsonl_of(tmp_path, ROWS, tags="labels")


@pytest.fixture
def model(tmp_path: Path) -> str:
    return saved_tagger(tmp_path, ROWS)


@pytest.fixture
def matrices(tmp_path: Path) -> list[str]:
    X = sparse.csr_array(np.tile(np.eye(3, dtype=np.float32), (8, 1)))
    sparse.save_npz(tmp_path / "X.npz", X)
    sparse.save_npz(tmp_path / "Y.npz", X.astype(np.uint8))
    return ["--x", str(tmp_path / "X.npz"), "--y", str(tmp_path / "Y.npz")]
