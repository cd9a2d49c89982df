"""Files from source distributions on the package index that pip is configured for."""

import ast
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from labeltree.extras import optional


@dataclass(frozen=True)
class SourceFiles:
    """Some files of one source distribution, and the checksum of the whole."""

    package: str
    version: str
    sha256: str
    members: tuple[str, ...]  # paths below the distribution's top folder

    @property
    def archive(self) -> str:
        return f"{self.package}-{self.version}.tar.gz"


class IndexUnreachableError(ConnectionError):
    """The package index does not respond or does not have the file."""

    def __init__(self, archive: str, reason: str) -> None:
        super().__init__(f"could not get {archive} from the package index: {reason}")


def fetch(wanted: SourceFiles, folder: Path) -> None:
    """Store the wanted files in a folder, all of them or none; no code is executed."""
    folder.mkdir(parents=True, exist_ok=True)
    # Inside the folder, so that the renames stay within one file system.
    with tempfile.TemporaryDirectory(dir=folder, prefix=".fetch-") as temporary:
        archive = Path(temporary, wanted.archive)
        _download(wanted, archive)
        for complete in _extract(wanted, archive, Path(temporary)):
            complete.replace(folder / complete.name)


def _extract(wanted: SourceFiles, archive: Path, folder: Path) -> list[Path]:
    top = f"{wanted.package}-{wanted.version}"
    extracted = []
    with tarfile.open(archive, "r:gz") as tar:
        for member in wanted.members:
            try:
                source = tar.extractfile(f"{top}/{member}")
            except KeyError:
                source = None
            if source is None:
                raise ValueError(f"{wanted.archive} must hold the file {member}, but does not")
            # Only bytes are copied, under a fixed name: no links, modes or paths.
            target = folder / Path(member).name
            with source, target.open("wb") as out:
                shutil.copyfileobj(source, out)
            extracted.append(target)
    return extracted


def _download(wanted: SourceFiles, target: Path) -> None:
    """Write the archive to a file and verify its checksum."""
    digest = hashlib.sha256()
    with target.open("wb") as out:
        try:
            for chunk in _chunks(wanted):
                digest.update(chunk)
                out.write(chunk)
        except _client_errors() as error:
            # The client's message may hold the credentials of a private index.
            reason = re.sub(r"//[^/@\s]*@", "//", str(error)) or type(error).__name__
            raise IndexUnreachableError(wanted.archive, reason) from None
    if digest.hexdigest() != wanted.sha256:
        raise ValueError(
            f"{wanted.archive} must have the sha256 {wanted.sha256}, but has "
            f"{digest.hexdigest()}; the index sent another file or an incomplete one"
        )


def _chunks(wanted: SourceFiles) -> Iterator[bytes]:
    finder = _finder(wanted.package)
    found = finder.find_matches(f"{wanted.package}=={wanted.version}")
    links = [match.link for match in found if match.link.filename == wanted.archive]
    if not links:
        raise IndexUnreachableError(wanted.archive, "it does not offer this file")
    # Company mirrors often redirect to their storage.
    finder.session.follow_redirects = True
    with finder.session.get_stream(links[0].normalized) as response:
        response.raise_for_status()
        yield from response.iter_bytes()


def _finder(package: str) -> Any:
    """Return a finder over the sources that pip would query, including the default index."""
    unearth = optional("unearth", "fetching needs", "fetch")
    options = pip_options()
    # Without sources the finder queries the default index, like pip without index-url.
    finder = unearth.PackageFinder(
        index_urls=options.get("index-url", []),
        trusted_hosts=options.get("trusted-host", []),
        no_binary=[package],
        ignore_compatibility=True,
    )
    if options.get("no-index", ["false"])[-1].lower() in ("1", "true", "yes", "on"):
        finder.sources.clear()
    else:
        for url in options.get("extra-index-url", []):
            finder.add_index_url(url)
    for place in options.get("find-links", []):
        if "://" in place or Path(place).exists():
            finder.add_find_links(place)
    return finder


def pip_options() -> dict[str, list[str]]:
    """Return the options of pip's configuration files and environment, split at whitespace.

    If pip is not installed, only the environment is used.
    """
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "config", "list"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    return parsed_options(result.stdout if result.returncode == 0 else "", os.environ)


def parsed_options(listing: str, environment: Mapping[str, str]) -> dict[str, list[str]]:
    """Return options by name from the output of ``pip config list`` and PIP_ variables.

    Examples
    --------
    >>> parsed_options("global.index-url='https://a.example/simple'", {})
    {'index-url': ['https://a.example/simple']}
    """
    # As in pip, the command's section overrides [global], and the environment overrides both.
    sections: dict[str, dict[str, str]] = {"global": {}, "download": {}}
    for line in listing.splitlines():
        key, _, value = line.partition("=")
        section, _, name = key.partition(".")
        if section in sections:
            sections[section][name] = str(ast.literal_eval(value))
    variables = {
        name.removeprefix("PIP_").lower().replace("_", "-"): value
        for name, value in environment.items()
        if name.startswith("PIP_")
    }
    merged = sections["global"] | sections["download"] | variables
    return {name: value.split() for name, value in merged.items() if value.split()}


def _client_errors() -> tuple[type[Exception], ...]:
    # The HTTP client depends on the release of unearth, and its errors are not OSErrors.
    clients = [sys.modules[name] for name in ("httpx", "httpx2") if name in sys.modules]
    return tuple(client.HTTPError for client in clients)
