"""Kernels run in Triton's interpreter, so that the tests need no GPU."""

from __future__ import annotations

import importlib
import importlib.util
import os
import warnings
from collections.abc import Iterator

import pytest

if importlib.util.find_spec("torch") is not None:
    # Triton decides when a kernel is defined; the layers decide when they are called.
    os.environ["TRITON_INTERPRET"] = "1"
    if importlib.util.find_spec("triton") is not None:
        importlib.import_module("labeltree.torch.kernels.beam")
        importlib.import_module("labeltree.torch.kernels.lists")
        importlib.import_module("labeltree.torch.kernels.steps")
    del os.environ["TRITON_INTERPRET"]


@pytest.fixture
def kernels(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let the layers use kernels, in the interpreter."""
    pytest.importorskip("triton", reason="the kernels need triton")
    monkeypatch.setenv("TRITON_INTERPRET", "1")
    with warnings.catch_warnings():  # the interpreter computes with NumPy
        warnings.filterwarnings("ignore", message="invalid value encountered")
        warnings.filterwarnings("ignore", message="All-NaN slice encountered")
        warnings.filterwarnings("ignore", message="Conversion of an array with ndim > 0")
        yield
