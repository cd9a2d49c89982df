"""A request after all checks, and a response before it is sent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any
from urllib.parse import parse_qsl

import msgspec

from labeltree.serve import problems
from labeltree.serve.problems import RequestError

JSON = b"application/json"
FORM = b"application/x-www-form-urlencoded"
_MAX_FIELDS = 100  # of a form or a query


@dataclass
class Request:
    """A request whose body has been read."""

    body: bytes
    content_type: bytes
    query_string: bytes = b""
    parameters: Mapping[str, str] = field(default_factory=dict)  # parts of the path

    def json(self, decode: Any) -> Any:
        """Return the body as a message; RequestError if it is not one."""
        if self.content_type.partition(b";")[0].strip().lower() != JSON:
            raise RequestError(415, "the body must be JSON; send Content-Type: application/json")
        try:
            return decode(self.body)
        except msgspec.ValidationError as error:
            raise RequestError(422, sentence(error)) from None
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise RequestError(400, f"the body must be JSON: {sentence(error)}") from None

    @cached_property
    def form(self) -> dict[str, str]:
        """The fields of a form, or of JSON with the same names."""
        if self.content_type.partition(b";")[0].strip().lower() == JSON:
            found = self.json(msgspec.json.Decoder(dict[str, str | int | float]).decode)
            return {name: str(value) for name, value in found.items()}
        return _fields(self.body)

    @cached_property
    def query(self) -> dict[str, str]:
        """The fields of the query."""
        return _fields(self.query_string)


def _fields(encoded: bytes) -> dict[str, str]:
    try:
        text = encoded.decode("ascii")
        return dict(parse_qsl(text, keep_blank_values=True, max_num_fields=_MAX_FIELDS))
    except ValueError:
        raise RequestError(
            400, f"a form must be URL-encoded and have at most {_MAX_FIELDS} fields"
        ) from None


def sentence(error: Exception) -> str:
    """Return the message of a parser on one line, without what a client need not know."""
    return " ".join(str(error).split())[:300] or type(error).__name__


@dataclass(frozen=True)
class Response:
    """A response with its whole content."""

    content: bytes
    status: int = 200
    content_type: bytes = JSON
    headers: tuple[tuple[bytes, bytes], ...] = ()

    @classmethod
    def of(cls, problem: RequestError) -> Response:
        """Return the response that tells a problem."""
        headers = tuple(problem.headers.items())
        return cls(problem.content(), problem.status, problems.CONTENT_TYPE, headers)
