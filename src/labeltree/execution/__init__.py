"""Executors: where the jobs of a fit run."""

from labeltree.execution.executor import Executor, Threads, as_executor, in_order
from labeltree.execution.pool import PoolExecutor

__all__ = ["Executor", "PoolExecutor", "Threads", "as_executor", "in_order"]
