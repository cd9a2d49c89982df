"""Settings of the server: one table for options, environment variables and defaults."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import Field, dataclass, field, fields
from pathlib import Path
from typing import Any, Self, cast

from labeltree.units import parse_bytes

PREFIX = "LABELTREE_SERVE_"
TOKEN = PREFIX + "TOKEN"  # the only setting without an option, which `ps` would show
LOOPBACK = ("127.0.0.1", "::1", "localhost")


def _setting(default: Any, text: str, *, unit: str = "") -> Any:
    return field(default=default, metadata={"help": text, "unit": unit})


@dataclass(frozen=True)
class Settings:
    """Settings of `labeltree serve`; each field is an option and an environment variable.

    Examples
    --------
    >>> Settings.from_environment({"LABELTREE_SERVE_MAX_BODY": "2MB"}).max_body
    2000000
    """

    host: str = _setting("127.0.0.1", "address to listen on; others than loopback need a token")
    port: int = _setting(8000, "port to listen on; 0 for any free port")
    workers: int = _setting(1, "number of processes that answer; they share the mapped model")
    token_file: str = _setting("", "file with the bearer token that requests must have")
    feedback: str = _setting("", "JSONL file that feedback is appended to")
    learn_seconds: float = _setting(
        0.0, "learn new feedback into a copy of the model this often, and publish it; 0 for never"
    )
    reload_seconds: float = _setting(
        1.0, "look this often whether a model file was replaced; 0 for never"
    )
    cors_origins: tuple[str, ...] = _setting(
        (), "origins whose pages may call the server, separated by commas"
    )
    allowed_hosts: tuple[str, ...] = _setting(
        (), "names under which clients reach a server without a token, separated by commas"
    )
    page: bool = _setting(True, "serve the page at /")
    log_requests: bool = _setting(True, "log each request as a line of JSON, without its text")
    max_body: int = _setting(1_000_000, "maximum size of a request", unit="bytes")
    max_texts: int = _setting(1_000, "maximum number of texts or rows per request")
    max_characters: int = _setting(500_000, "maximum number of characters of a text")
    max_k: int = _setting(100, "maximum number of labels per text")
    max_in_flight: int = _setting(
        64, "requests that a worker handles at a time; others get 503 at once"
    )
    max_connections: int = _setting(1_000, "open connections per worker")
    max_headers: int = _setting(16_384, "maximum size of all headers", unit="bytes")
    body_seconds: float = _setting(10.0, "time that a client has to send its request")
    keep_alive_seconds: float = _setting(30.0, "time that an idle connection stays open")
    shutdown_seconds: float = _setting(10.0, "time that running requests have after SIGTERM")

    def __post_init__(self) -> None:
        for one in fields(self):
            value = getattr(self, one.name)
            least = 0 if isinstance(one.default, float) or one.name == "port" else 1
            is_number = isinstance(one.default, int | float) and not isinstance(one.default, bool)
            if is_number and not (least <= value < math.inf):
                raise ValueError(f"{one.name} must be at least {least}, but is {value}")
        if self.port > 65_535:
            raise ValueError(f"port must be at most 65535, but is {self.port}")
        if self.learn_seconds and not self.feedback:
            raise ValueError("learn_seconds needs feedback to learn from; set feedback")

    @classmethod
    def from_environment(cls, environment: Mapping[str, str], **given: Any) -> Self:
        """Return the given settings, others from the environment, and defaults for the rest."""
        values = {}
        for one in fields(cls):
            text = environment.get(PREFIX + one.name.upper())
            if given.get(one.name) is not None:
                values[one.name] = given[one.name]
            elif text:
                values[one.name] = parse_setting(one, text)
        return cls(**values)

    @property
    def is_local(self) -> bool:
        """Whether only this machine can reach the server."""
        return self.host in LOOPBACK

    def token(self, environment: Mapping[str, str] = os.environ) -> str:
        """Return the bearer token from the file or the environment; empty if there is none."""
        if self.token_file:
            token = Path(self.token_file).read_text(encoding="utf-8").strip()
            if not token:
                raise ValueError(f"{self.token_file}: the file must contain a token, but is empty")
        else:
            token = environment.get(TOKEN, "").strip()
        if not token and not self.is_local:
            raise ValueError(
                f"host {self.host} can be reached by others, so a token is needed; set token_file "
                f"or {TOKEN}, or listen on 127.0.0.1"
            )
        if not token.isascii() or not token.isprintable():
            raise ValueError("a token must be printable ASCII characters; make another one")
        return token


def parse_setting(one: Field[Any], text: str) -> Any:
    """Return the value of a setting that is given as text."""
    default = one.default
    try:
        if isinstance(default, bool):
            return {"1": True, "true": True, "0": False, "false": False}[text.lower()]
        if isinstance(default, tuple):
            return tuple(part.strip() for part in text.split(",") if part.strip())
        if one.metadata["unit"] == "bytes":
            return int(text) if text.isdigit() else int(parse_bytes(one.name, text))
        return cast(Any, type(default))(text)
    except (KeyError, ValueError):
        kind = {bool: "true or false", int: "an integer", float: "a number"}[type(default)]
        raise ValueError(f"{one.name} must be {kind}, but is {text!r}") from None
