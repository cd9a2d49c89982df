"""Which releases and processors may work on the same model: those that round in the same way."""

from __future__ import annotations

import platform
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

from labeltree import _core

_FLAGS = Path("/proc/cpuinfo")


class WorkerKind(NamedTuple):
    """What the bits of a result depend on."""

    release: str  # of labeltree
    architecture: str
    # Training has the same bits with and without; logarithms of the system, which trees are built
    # with, may not have.
    has_fma: bool

    def check(self, expected: WorkerKind, node: str) -> None:
        """Raise ValueError if this process cannot work on a model of another one."""
        if self.release != expected.release:
            raise ValueError(
                f"all nodes must have the same release of labeltree, but node {node} has "
                f"{self.release} and the driver has {expected.release}; install {expected.release}"
            )
        if self != expected:
            raise ValueError(
                "all nodes must have processors of the same kind, but node "
                f"{node} has {self.processor} and the driver has {expected.processor}; models "
                "would not be the same. Leave it out of the cluster"
            )

    @property
    def processor(self) -> str:
        """The processor in words."""
        return f"{self.architecture}{' with' if self.has_fma else ' without'} fused multiply-add"


@cache
def this_kind() -> WorkerKind:
    """Return the kind of this process."""
    machine = platform.machine()
    return WorkerKind(version("labeltree"), machine, machine != "x86_64" or "fma" in _flags())


def cpu_level() -> str:
    """Return the vector instructions that this process uses; all give the same bits."""
    return str(_core.cpu_level())


def _flags() -> set[str]:
    if not _FLAGS.exists():
        return {"fma"}
    lines = (line for line in _FLAGS.read_text().splitlines() if line.startswith("flags"))
    return set(next(lines, "").split())
