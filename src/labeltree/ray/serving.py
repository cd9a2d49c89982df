"""The server of `labeltree serve` as a deployment of Ray Serve."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from labeltree.arguments import check_integer
from labeltree.serve import asgi_app
from labeltree.serve.served import named_files


def deployment(models: Sequence[str], *, n_replicas: int = 1, **settings: Any) -> Any:
    """Return an application for `ray.serve.run` that answers with model files.

    Replicas map the model files, so those of a node share one copy in memory. If a file is replaced
    (`save` does so all at once), each replica opens it and answers with the old model until then.
    No request fails.

    Parameters
    ----------
    models
        Model files, as FILE or NAME=FILE, which every node can read; the first is the default.
    n_replicas
        Number of processes that answer.
    **settings
        The options of `labeltree serve` with underscores, such as max_body; others come from the
        environment of the nodes. Ray Serve has its own host and port.

    Examples
    --------
    >>> from ray import serve  # doctest: +SKIP
    >>> serve.run(deployment(["model.lt"], n_replicas=4))  # doctest: +SKIP
    """
    from ray import serve

    check_integer("n_replicas", n_replicas, minimum=1)
    files = {name: str(Path(path).resolve()) for name, path in named_files(models).items()}
    given = [f"{name}={path}" for name, path in files.items()]

    def make_app() -> Any:
        return asgi_app(given, **settings)

    @serve.deployment(name="labeltree", num_replicas=n_replicas)
    @serve.ingress(make_app)
    class Replica:
        """One process that answers."""

    made: Any = Replica
    return made.bind()
