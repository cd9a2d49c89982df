"""HTTP with limits that uvicorn does not have: on headers, their time and connections."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from labeltree.serve.settings import Settings

_REFUSAL = (
    b"HTTP/1.1 %s\r\ncontent-type: text/plain\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
)
_TOO_LONG = b"431 Request Header Fields Too Large"


def limited_protocol(settings: Settings) -> type[HttpToolsProtocol]:
    """Return uvicorn's protocol with the limits of the settings."""

    class LimitedProtocol(HttpToolsProtocol):
        """Closes connections whose headers are too long or too slow, or that are too many."""

        _n_bytes = 0  # since the last end of headers
        _in_headers = True
        _timer: asyncio.TimerHandle | None = None

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            if len(self.connections) > settings.max_connections:
                self._refuse(b"503 Service Unavailable")
                return
            self._expect_headers()

        def connection_lost(self, error: Exception | None) -> None:
            self._stop_timer()
            super().connection_lost(error)

        def data_received(self, data: bytes) -> None:
            if self._in_headers:
                # Data beyond the headers is part of a body, which the application limits.
                self._n_bytes += len(data)
                if self._timer is None:  # the first byte of a next request
                    self._expect_headers()
            super().data_received(data)
            if self._in_headers and self._n_bytes > settings.max_headers:
                self._refuse(_TOO_LONG)

        def on_message_begin(self) -> None:
            self._in_headers = True
            super().on_message_begin()

        def on_headers_complete(self) -> None:
            self._in_headers, self._n_bytes = False, 0
            self._stop_timer()
            # They may have come complete in one read.
            n_bytes = len(self.url) + sum(len(name) + len(value) for name, value in self.headers)
            if n_bytes > settings.max_headers:
                self._refuse(_TOO_LONG)
                raise ValueError("headers are too long")  # the parser stops
            super().on_headers_complete()

        def on_message_complete(self) -> None:
            self._in_headers = True
            super().on_message_complete()

        def _expect_headers(self) -> None:
            self._timer = self.loop.call_later(settings.body_seconds, self._refuse_slow)

        def _refuse_slow(self) -> None:
            self._refuse(b"408 Request Timeout")

        def _stop_timer(self) -> None:
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None

        def send_400_response(self, message: str) -> None:
            if not self.transport.is_closing():
                super().send_400_response(message)

        def _refuse(self, status: bytes) -> None:
            if not self.transport.is_closing():
                self.transport.write(_REFUSAL % status)
                self.transport.close()

    return LimitedProtocol
