"""Routes: which handler answers a method and a path."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from labeltree.serve.exchange import Request, Response
from labeltree.serve.problems import RequestError

if TYPE_CHECKING:
    from labeltree.serve.service import Service

Handler = Callable[["Service", Request], Response]
#: Long work runs in a thread, so that short requests do not wait for it; a thread costs more than
#: a short answer.
InThread = Literal["never", "long", "always"]


@dataclass(frozen=True)
class Route:
    """A path such as /v1/projects/{name}, its method and its handler."""

    method: str
    path: str
    handler: Handler
    in_thread: InThread = "never"
    is_open: bool = False  # needs no token
    is_change: bool = False  # always needs a token
    summary: str = ""  # for the OpenAPI document, like the classes below
    request: Any = None
    answer: Any = None
    is_form: bool = False
    query: tuple[str, ...] = field(default=())

    @property
    def names(self) -> list[str]:
        """The names of the parts of the path that vary."""
        return re.findall(r"{(\w+)}", self.path)


class Routes:
    """Finds routes.

    Examples
    --------
    >>> routes = Routes([Route("GET", "/v2/models/{name}", handler=None)])
    >>> routes.find("GET", "/v2/models/news")[1]
    {'name': 'news'}
    """

    def __init__(self, routes: Iterable[Route]) -> None:
        self.all = list(routes)
        self._fixed = {(one.method, one.path): one for one in self.all if not one.names}
        self._patterns = [(_pattern(one.path), one) for one in self.all if one.names]

    def find(self, method: str, path: str) -> tuple[Route, dict[str, str]]:
        """Return the route and the parts of the path that vary; error if there is none."""
        method = "GET" if method == "HEAD" else method
        found = self._fixed.get((method, path))
        if found is not None:
            return found, {}
        for pattern, route in self._patterns:
            match = pattern.fullmatch(path)
            if match and route.method == method:
                return route, match.groupdict()
        methods = self._methods(path)
        if not methods:
            raise RequestError(404, f"there is no {path!r:.100}; /openapi.json lists what there is")
        allowed = ", ".join(methods)
        raise RequestError(
            405,
            f"{path!r:.100} allows {allowed}, but the method is {method!r:.20}",
            headers={b"allow": allowed.encode()},
        )

    def _methods(self, path: str) -> list[str]:
        fixed = {method for method, known in self._fixed if known == path}
        varying = {one.method for pattern, one in self._patterns if pattern.fullmatch(path)}
        return sorted(fixed | varying)


def _pattern(path: str) -> re.Pattern[str]:
    return re.compile(re.sub(r"{(\w+)}", r"(?P<\1>[^/]+)", path))
