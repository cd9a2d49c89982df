"""The OpenAPI document, made from the table of routes and the classes of messages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from labeltree.serve.routing import Route

_REFERENCE = "#/components/schemas/{name}"
_PROBLEM = {
    "description": "The request was refused; detail says why",
    "content": {
        "application/problem+json": {
            "schema": {
                "type": "object",
                "properties": {
                    "type": {"type": "string"},
                    "status": {"type": "integer"},
                    "title": {"type": "string"},
                    "detail": {"type": "string"},
                },
            }
        }
    },
}


def openapi(routes: Sequence[Route], version: str) -> dict[str, Any]:
    """Return the document for the routes that have a summary."""
    shown = [route for route in routes if route.summary]
    kinds = [kind for route in shown for kind in (route.request, route.answer) if kind is not None]
    kinds = list(dict.fromkeys(kinds))
    schemas, components = msgspec.json.schema_components(kinds, ref_template=_REFERENCE)
    by_kind = dict(zip(kinds, schemas, strict=True))
    paths: dict[str, dict[str, Any]] = {}
    for route in shown:
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route, by_kind)
    return {
        "openapi": "3.1.0",
        "info": {"title": "labeltree", "version": version},
        "paths": paths,
        "components": {
            "schemas": components,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def _operation(route: Route, by_kind: dict[Any, Any]) -> dict[str, Any]:
    answer = {"schema": by_kind.get(route.answer, {"type": "object"})}
    media = "text/plain" if route.path == "/metrics" else "application/json"
    status = "202" if route.path == "/v1/feedback" else "200"
    operation: dict[str, Any] = {
        "summary": route.summary,
        "responses": {
            status: {"description": route.summary, "content": {media: answer}},
            "default": _PROBLEM,
        },
        "security": [] if route.is_open else [{"token": []}] if route.is_change else [{}],
        "parameters": [
            *(_parameter(name, "path") for name in route.names),
            *(_parameter(name, "query") for name in route.query),
        ],
    }
    if route.request is not None:
        body = "application/x-www-form-urlencoded" if route.is_form else "application/json"
        content = {body: {"schema": by_kind[route.request]}}
        operation["requestBody"] = {"required": True, "content": content}
    return operation


def _parameter(name: str, place: str) -> dict[str, Any]:
    return {"name": name, "in": place, "required": place == "path", "schema": {"type": "string"}}
