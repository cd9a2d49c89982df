"""Model files on the Hugging Face hub, by addresses that begin with hf://."""

from __future__ import annotations

import errno
import re
from pathlib import Path
from typing import Any, NamedTuple

from labeltree.data.files import Source
from labeltree.extras import optional

#: Beginning of an address on the hub.
SCHEME = "hf://"
#: Name of the model file, unless the address has another.
MODEL_FILE = "model.lt"

_NAME = r"[A-Za-z0-9][\w.-]{0,95}"
_ADDRESS = re.compile(
    rf"hf://(?P<repo>{_NAME}/{_NAME})(?:@(?P<early>[^/@]+))?(?:/(?P<file>[^@]+))?(?:@(?P<late>[^@]+))?"
)


class HubAddress(NamedTuple):
    """A file in a repository of the hub."""

    repo: str
    file: str = MODEL_FILE
    revision: str | None = None  # a branch, tag or commit; None for the main branch

    @classmethod
    def parse(cls, text: str) -> HubAddress:
        """Return the address of ``hf://owner/name[/file][@revision]``.

        The revision may also follow the name, as in addresses of huggingface_hub.

        Examples
        --------
        >>> HubAddress.parse("hf://me/tags@v1")
        HubAddress(repo='me/tags', file='model.lt', revision='v1')
        >>> HubAddress.parse("hf://tags")
        Traceback (most recent call last):
        ...
        ValueError: an address must be hf://owner/name[/file][@revision], but is 'hf://tags'
        """
        found = _ADDRESS.fullmatch(text)
        if found is None or (found["early"] and found["late"]):
            raise ValueError(
                f"an address must be hf://owner/name[/file][@revision], but is {text!r:.200}"
            )
        return cls(found["repo"], found["file"] or MODEL_FILE, found["early"] or found["late"])

    @classmethod
    def of_repo(cls, repo: str) -> HubAddress:
        """Return the address of ``owner/name[/file]``, with or without hf:// before it."""
        return cls.parse(repo if repo.startswith(SCHEME) else SCHEME + repo)

    def __str__(self) -> str:
        revision = f"@{self.revision}" if self.revision else ""
        file = f"/{self.file}" if self.file != MODEL_FILE else ""
        return f"{SCHEME}{self.repo}{revision}{file}"


def local_file(path: Source) -> Source:
    """Return a path or open file as it is, and that of an address in the local cache."""
    return download(path) if isinstance(path, str) and is_hub_address(path) else path


def is_hub_address(path: Any) -> bool:
    """Return whether a path is an address on the hub."""
    return isinstance(path, str) and path.startswith(SCHEME)


def download(address: str) -> Path:
    """Return the path of a file of the hub in the local cache, after downloading it if necessary.

    Raises
    ------
    FileNotFoundError
        If the repository, the revision or the file does not exist, or you have no access to it.
    OSError
        If the hub does not answer.
    """
    repo, file, revision = HubAddress.parse(address)
    hub = huggingface_hub()
    try:
        return Path(hub.hf_hub_download(repo, file, revision=revision))
    except hub.errors.LocalEntryNotFoundError as error:  # is also an EntryNotFoundError
        raise OSError(f"{address}: the hub does not answer: {first_line(error)}") from error
    except (hub.errors.RepositoryNotFoundError, hub.errors.EntryNotFoundError) as error:
        raise FileNotFoundError(
            errno.ENOENT,
            "not on the hub, or you have no access; log in with hf auth login",
            address,
        ) from error
    except hub.errors.RevisionNotFoundError as error:
        raise FileNotFoundError(
            errno.ENOENT, "the repository has no such revision", address
        ) from error
    except http_error() as error:
        raise OSError(f"{address}: cannot be downloaded: {first_line(error)}") from error


def huggingface_hub() -> Any:
    """Return the package huggingface_hub.

    Raises
    ------
    ImportError
        If it is not installed.
    """
    optional("huggingface_hub.errors", "models on the hub need", "hub")
    return optional("huggingface_hub", "models on the hub need", "hub")


def http_error() -> type[Exception]:
    """Return the base class of the errors of the HTTP package that huggingface_hub uses."""
    kinds = huggingface_hub().errors.HfHubHTTPError.__mro__
    own = ("builtins", "huggingface_hub")
    found = (kind for kind in reversed(kinds) if kind.__module__.partition(".")[0] not in own)
    return next(found, OSError)


def first_line(error: BaseException) -> str:
    """Return the first line of a message of another package."""
    return str(error).strip().partition("\n")[0][:200]
