"""The server from its start to its end."""

from __future__ import annotations

import json
import secrets
import webbrowser
from collections.abc import Callable, Sequence
from functools import partial

from labeltree.serve.learning import learn_feedback
from labeltree.serve.logs import log
from labeltree.serve.served import Models, named_files
from labeltree.serve.settings import Settings
from labeltree.serve.workers import listen, run_workers, serve_worker


def run(
    models: Sequence[str], settings: Settings, *, open_page: bool = False, as_json: bool = False
) -> int:
    """Serve model files until a signal; return the exit code."""
    files = named_files(models)
    token = settings.token()
    page_token = "" if token else secrets.token_urlsafe(16)
    loaded = Models(files)
    listener = listen(settings)
    address = page_address(settings, listener.getsockname()[1], page_token)
    answer = partial(serve_worker, loaded, settings, listener, token, page_token)
    jobs: dict[str, Callable[[], None]] = {f"worker {i}": answer for i in range(settings.workers)}
    if settings.learn_seconds:
        jobs["learner"] = partial(learn_feedback, files, settings)
    if as_json:
        about = {"models": list(files), "address": address.partition("#")[0], "token": page_token}
        print(json.dumps(about), flush=True)
    else:
        print(f"labeltree serves {', '.join(files)} at {address}", flush=True)
    log("started", models=list(files), host=settings.host, port=listener.getsockname()[1])
    if open_page:
        webbrowser.open(address)
    try:
        return run_workers(jobs, settings)
    finally:
        listener.close()
        log("ended")


def page_address(settings: Settings, port: int, page_token: str) -> str:
    """Return the address of the page. A browser does not send what follows #."""
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    return f"http://{host}:{port}/" + (f"#token={page_token}" if page_token else "")
