"""The gate of the server: who may ask, how much, how long; before anything is parsed."""

from __future__ import annotations

import asyncio
import hmac
import ipaddress
import time
from collections.abc import Awaitable, Callable, MutableMapping
from functools import lru_cache
from typing import Any

from labeltree.serve.exchange import Request, Response
from labeltree.serve.problems import RequestError
from labeltree.serve.settings import Settings

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

#: Nothing from elsewhere, no framing, no guessing of types, no cache.
SECURITY_HEADERS = (
    (b"content-security-policy", b"default-src 'self'; frame-ancestors 'none'; base-uri 'none'"),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cache-control", b"no-store"),
)
_CORS = (
    (b"access-control-allow-methods", b"GET, POST"),
    (b"access-control-allow-headers", b"authorization, content-type"),
    (b"access-control-max-age", b"600"),
)


class Gate:
    """Checks of a request that do not depend on its content.

    Parameters
    ----------
    settings
        The limits.
    token
        Bearer token that every request needs; empty if only this machine can reach the server.
    page_token
        Token that changes need if there is no other; the page of this start knows it.
    """

    def __init__(self, settings: Settings, token: str, page_token: str) -> None:
        self._settings = settings
        self._token = token.encode()
        self._page_token = page_token.encode()
        self._origins = frozenset(origin.encode() for origin in settings.cors_origins)
        self._hosts = frozenset(host.lower() for host in settings.allowed_hosts)
        self.n_in_flight = 0
        # The same few names in all requests; the cache is bounded, as clients choose them.
        self._is_own_name = lru_cache(64)(self._is_own)

    def admit(self, headers: dict[bytes, bytes], *, is_open: bool, is_change: bool) -> None:
        """Refuse a request by its headers; RequestError if it may not pass."""
        if not self._token and not is_open:
            self._check_host(headers.get(b"host", b""))
        if is_change or (self._token and not is_open):
            self._check_token(headers.get(b"authorization", b""), is_change=is_change)
        length = headers.get(b"content-length", b"0")
        if not length.isdigit() or len(length) > 18:
            raise RequestError(400, "Content-Length must be a number")
        if int(length) > self._settings.max_body:
            raise self._too_large()
        encoding = headers.get(b"content-encoding", b"identity")
        if encoding != b"identity":
            raise RequestError(415, "the body must not be compressed; leave Content-Encoding out")

    def enter(self) -> None:
        """Count a request that is being handled; RequestError if there are too many."""
        if self.n_in_flight >= self._settings.max_in_flight:
            raise RequestError(503, "the server is busy; try again", headers={b"retry-after": b"1"})
        self.n_in_flight += 1

    def leave(self) -> None:
        """Count it no longer."""
        self.n_in_flight -= 1

    def _check_host(self, host: bytes) -> None:
        """Refuse names of other machines: a web page could point its own name at this one."""
        if not self._is_own_name(host):
            name = _without_port(host)
            rule = f"the server does not answer as {name!r:.100}; set --allowed-hosts"
            raise RequestError(421, rule)

    def _is_own(self, host: bytes) -> bool:
        name = _without_port(host)
        return name == "localhost" or name in self._hosts or _is_address(name)

    def _check_token(self, authorization: bytes, *, is_change: bool) -> None:
        scheme, _, given = authorization.partition(b" ")
        token = self._token or self._page_token
        is_right = hmac.compare_digest(given.strip(), token)
        if scheme.lower() == b"bearer" and is_right:
            return
        what = "changes need" if is_change and not self._token else "the server needs"
        raise RequestError(
            401,
            f"{what} a token; send Authorization: Bearer TOKEN",
            headers={b"www-authenticate": b"Bearer"},
        )

    def _too_large(self) -> RequestError:
        most = self._settings.max_body
        headers = {b"connection": b"close"}
        return RequestError(413, f"the body must have at most {most:,} bytes", headers=headers)

    async def read(self, receive: Receive) -> bytes:
        """Return the body; RequestError if it is too large or too slow."""
        try:
            async with asyncio.timeout(self._settings.body_seconds):
                message = await receive()
                body: bytes = message.get("body", b"")
                if message["type"] == "http.request" and not message.get("more_body"):
                    if len(body) > self._settings.max_body:
                        raise self._too_large()
                    return body
                return await self._read_more(receive, message)
        except TimeoutError:
            seconds = self._settings.body_seconds
            raise RequestError(
                408,
                f"the body must arrive within {seconds:g} seconds",
                headers={b"connection": b"close"},
            ) from None

    async def _read_more(self, receive: Receive, message: MutableMapping[str, Any]) -> bytes:
        """Return a body that comes in parts, whose Content-Length need not be true."""
        parts, n_bytes = [], 0
        while True:
            if message["type"] == "http.disconnect":
                raise ConnectionResetError
            parts.append(message.get("body", b""))
            n_bytes += len(parts[-1])
            if n_bytes > self._settings.max_body:
                raise self._too_large()
            if not message.get("more_body"):
                return b"".join(parts)
            message = await receive()

    def cors_headers(self, origin: bytes | None) -> tuple[tuple[bytes, bytes], ...]:
        """Return the headers that let pages of allowed origins read the response."""
        if origin is None or origin not in self._origins:
            return ()
        return (b"access-control-allow-origin", origin), (b"vary", b"origin")

    def preflight(self, origin: bytes | None) -> Response:
        """Return the answer to the question of a browser whether a page may ask."""
        allowed = self.cors_headers(origin)
        return Response(b"", 204, b"text/plain", (*allowed, *_CORS) if allowed else ())


def _without_port(host: bytes) -> str:
    name = host.decode("latin-1").lower()
    before, _, port = name.rpartition(":")
    return before if port.isdigit() else name


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name.strip("[]"))
    except ValueError:
        return False
    return True


async def respond(
    send: Send, response: Response, more: tuple[tuple[bytes, bytes], ...] = ()
) -> None:
    """Send a response."""
    headers = [
        (b"content-type", response.content_type),
        (b"content-length", b"%d" % len(response.content)),
        *SECURITY_HEADERS,
        *response.headers,
        *more,
    ]
    await send({"type": "http.response.start", "status": response.status, "headers": headers})
    await send({"type": "http.response.body", "body": response.content})


def request_of(scope: Scope, headers: dict[bytes, bytes], body: bytes) -> Request:
    """Return a request whose body has been read."""
    content_type = headers.get(b"content-type", b"")
    return Request(body, content_type, scope["query_string"], scope.get("path_params", {}))


clock = time.perf_counter
