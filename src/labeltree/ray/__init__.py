"""Training, tuning, prediction and serving on the machines of a Ray cluster.

Requires ``pip install "labeltree[ray]"`` on every machine.
"""

try:
    from labeltree.ray.executor import RayExecutor
except ModuleNotFoundError as error:
    if error.name != "ray":
        raise
    raise ImportError('labeltree.ray needs the package ray: pip install "labeltree[ray]"') from None

from labeltree.ray.serving import deployment

__all__ = ["RayExecutor", "deployment"]
