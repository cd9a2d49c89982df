"""Executors: where the jobs of a fit run."""

from labeltree.execution.executor import Executor, Threads
from labeltree.execution.pool import PoolExecutor

__all__ = ["Executor", "PoolExecutor", "Threads"]
