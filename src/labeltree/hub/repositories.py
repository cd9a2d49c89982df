"""Model files to repositories of the hub, and back."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from labeltree.data.files import open_write
from labeltree.estimators import PLTClassifier
from labeltree.hub.card import model_card
from labeltree.storage import load
from labeltree.storage.hub_files import (
    MODEL_FILE,
    SCHEME,
    HubAddress,
    download,
    first_line,
    http_error,
    huggingface_hub,
)
from labeltree.text import TextTagger

_CARD_FILE = "README.md"


def push(
    model: PLTClassifier | TextTagger | str | os.PathLike[str],
    repo: str,
    *,
    report: Mapping[str, Any] | None = None,
    license: str | None = None,
    private: bool | None = None,
    revision: str | None = None,
    message: str = "Upload a labeltree model",
) -> str:
    """Upload a model and its card in one commit, and return the address of that commit.

    The repository is created if it does not exist. Log in first: ``hf auth login``, or set the
    environment variable ``HF_TOKEN``.

    Parameters
    ----------
    model
        A fitted estimator, or the path of a model file.
    repo
        The repository, ``owner/name`` or ``hf://owner/name[/file]``. The file is model.lt unless it
        is named.
    report, license
        As in `model_card`.
    private
        Whether a new repository is private; None for the default of the owner.
    revision
        Branch to upload to; None for the main branch.
    message
        Message of the commit.

    Raises
    ------
    OSError
        If the hub refuses the upload or does not answer.
    """
    address = HubAddress.of_repo(repo)
    if address.revision is not None:
        raise ValueError(f"repo must have no revision, but is {repo!r}; set revision")
    hub = huggingface_hub()
    fitted: Any = load(model) if isinstance(model, str | os.PathLike) else model
    card = model_card(fitted, str(address), report=report, license=license)
    with tempfile.TemporaryDirectory(prefix="labeltree-") as folder:
        path = Path(folder, MODEL_FILE)
        if isinstance(model, str | os.PathLike):
            path = Path(model)
        else:
            model.save(path)
        files = {address.file: path, _CARD_FILE: card.encode()}
        added = [hub.CommitOperationAdd(name, content) for name, content in files.items()]
        api = hub.HfApi()
        try:
            api.create_repo(address.repo, private=private, exist_ok=True)
            made = api.create_commit(address.repo, added, commit_message=message, revision=revision)
        except http_error() as error:
            raise OSError(f"{SCHEME}{address.repo}: {first_line(error)}") from error
    return str(address._replace(revision=made.oid))


def pull(address: str, path: str | os.PathLike[str] = MODEL_FILE) -> Path:
    """Download a model file, check that it is one, and return its path.

    `labeltree.load` opens an address without a copy.

    Parameters
    ----------
    address
        ``owner/name`` or ``hf://owner/name[/file][@revision]``.
    path
        Where to write. An existing file is replaced once the new one is complete.
    """
    found = download(str(HubAddress.of_repo(address)))
    load(found)
    with found.open("rb") as source, open_write(path) as target:
        shutil.copyfileobj(source, target)
    return Path(path)
