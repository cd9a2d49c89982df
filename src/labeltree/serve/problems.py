"""Errors that are reported to a client, as problem details (RFC 9457)."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus

import msgspec

CONTENT_TYPE = b"application/problem+json"


class RequestError(Exception):
    """A request that cannot be answered, with the status and a sentence for the client."""

    def __init__(
        self, status: int, detail: str, *, headers: Mapping[bytes, bytes] | None = None
    ) -> None:
        super().__init__(detail)
        self.status, self.detail = status, detail
        self.headers = dict(headers or {})

    def content(self) -> bytes:
        """Return the problem as JSON."""
        title = HTTPStatus(self.status).phrase
        problem = {"status": self.status, "title": title, "detail": self.detail}
        # The type is the default one: the status says it all.
        return msgspec.json.encode({"type": "about:blank", **problem})
