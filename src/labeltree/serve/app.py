"""The ASGI application: every request passes the gate, finds its handler and is counted."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any

from labeltree.serve.exchange import Response
from labeltree.serve.gate import Gate, Receive, Scope, Send, clock, request_of, respond
from labeltree.serve.logs import log
from labeltree.serve.problems import RequestError
from labeltree.serve.routes import ROUTES
from labeltree.serve.routing import Route
from labeltree.serve.service import Service

_LONG = 4_096  # bytes of a request that may take longer than a millisecond
_CLOSED = 499  # the status in logs and metrics if the client has gone
_NO_ROUTE = "none"


class App:
    """The application of one worker.

    Parameters
    ----------
    service
        Models, settings and what else handlers share.
    """

    def __init__(self, service: Service) -> None:
        self.service = service
        self._gate: Gate = service.gate
        self._settings = service.settings
        self._is_open = True

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or begin and end with the server."""
        if scope["type"] == "http":
            await self._http(scope, receive, send)
        elif scope["type"] == "lifespan":
            await self._lifespan(receive, send)
        else:
            await send({"type": "websocket.close"})

    async def _http(self, scope: Scope, receive: Receive, send: Send) -> None:
        start = clock()
        headers = dict(scope["headers"])
        origin = headers.get(b"origin")
        route_name, status = _NO_ROUTE, _CLOSED
        try:
            try:
                if scope["method"] == "OPTIONS":
                    response = self._gate.preflight(origin)
                else:
                    route, scope["path_params"] = ROUTES.find(scope["method"], scope["path"])
                    route_name = route.path
                    response = await self._answer(route, scope, headers, receive)
            except RequestError as problem:
                response = Response.of(problem)
            except ConnectionResetError:
                return
            except Exception as error:
                response = self._failure(route_name, error)
            if scope["method"] == "HEAD":
                response = Response(b"", response.status, response.content_type, response.headers)
            await respond(send, response, self._gate.cors_headers(origin))
            status = response.status
        finally:
            seconds = clock() - start
            self.service.metrics.count(route_name, status, seconds)
            if self._settings.log_requests:
                self._log(scope, route_name, status, seconds)

    async def _answer(
        self, route: Route, scope: Scope, headers: dict[bytes, bytes], receive: Receive
    ) -> Response:
        gate = self._gate
        gate.admit(headers, is_open=route.is_open, is_change=route.is_change)
        if route.is_open:  # a probe must be answered by a busy server, too
            return route.handler(self.service, request_of(scope, headers, b""))
        gate.enter()
        try:
            body = await gate.read(receive) if route.method == "POST" else b""
            request = request_of(scope, headers, body)
            if route.in_thread == "never" or (route.in_thread == "long" and len(body) < _LONG):
                return route.handler(self.service, request)
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(
                self.service.threads, route.handler, self.service, request
            )
        finally:
            gate.leave()

    def _failure(self, route_name: str, error: Exception) -> Response:
        """Tell the client nothing of a bug but that there is one; the log has its place."""
        where = error.__traceback__
        while where is not None and where.tb_next is not None:
            where = where.tb_next
        place = None if where is None else f"{where.tb_frame.f_code.co_name}:{where.tb_lineno}"
        # Messages of exceptions may have texts of users.
        log("error", route=route_name, kind=type(error).__name__, place=place)
        return Response.of(RequestError(500, "the server made a mistake; its log has the place"))

    def _log(self, scope: Scope, route: str, status: int, seconds: float) -> None:
        client = scope.get("client")
        log(
            "request",
            method=scope["method"],
            route=route,
            status=status,
            ms=round(seconds * 1e3, 3),
            client=client[0] if client else None,
        )

    async def _lifespan(self, receive: Receive, send: Send) -> None:
        await receive()
        self.service.start_threads()
        watch = asyncio.create_task(self._watch())
        await send({"type": "lifespan.startup.complete"})
        await receive()
        watch.cancel()
        with suppress(asyncio.CancelledError):
            await watch
        self.service.threads.shutdown(wait=True)
        await send({"type": "lifespan.shutdown.complete"})

    async def _watch(self) -> None:
        """Look for replaced model files, until the server ends."""
        seconds = self._settings.reload_seconds
        loop = asyncio.get_running_loop()
        while seconds:
            await asyncio.sleep(seconds)
            await loop.run_in_executor(self.service.threads, self.service.reload)


def make_app(service: Service) -> Any:
    """Return the ASGI application of a service."""
    return App(service)
