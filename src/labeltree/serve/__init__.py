"""Answers over HTTP: `labeltree serve`.

`asgi_app` returns the application for another ASGI server. The package extra is
"labeltree[serve]".
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any

__all__ = ["asgi_app", "serve"]


def asgi_app(models: Sequence[str], **settings: Any) -> Any:
    """Return the ASGI application that answers with model files.

    Parameters
    ----------
    models
        Model files, as FILE or NAME=FILE; the first is the default.
    **settings
        The options of `labeltree serve` with underscores, such as max_body; others come from the
        environment.
    """
    _check_installed()
    from labeltree.serve.app import App
    from labeltree.serve.served import Models, named_files
    from labeltree.serve.service import Service
    from labeltree.serve.settings import Settings

    made = Settings.from_environment(os.environ, **settings)
    return App(Service(Models(named_files(models)), made, made.token()))


def serve(
    models: Sequence[str], *, open_page: bool = False, as_json: bool = False, **settings: Any
) -> int:
    """Serve model files over HTTP until SIGTERM or Ctrl-C; return the exit code.

    Parameters
    ----------
    models
        Model files, as FILE or NAME=FILE; the first is the default.
    open_page
        Whether to open the page in the browser of this machine.
    as_json
        Whether to print address and token as a JSON object.
    **settings
        The options of `labeltree serve` with underscores; others come from the environment.
    """
    _check_installed()
    from labeltree.serve.run import run
    from labeltree.serve.settings import Settings

    made = Settings.from_environment(os.environ, **settings)
    return run(models, made, open_page=open_page, as_json=as_json)


def _check_installed() -> None:
    if not hasattr(os, "fork"):
        raise OSError("labeltree serve needs fork, which this system lacks")
    # Not imported here: prometheus_client reads the environment when it is imported.
    for name in ("httptools", "msgspec", "prometheus_client", "uvicorn", "uvloop"):
        if find_spec(name) is None:
            raise ImportError(f'the server needs {name}; pip install "labeltree[serve]"')
