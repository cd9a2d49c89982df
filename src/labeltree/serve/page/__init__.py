"""The page: one HTML document, its style sheet and its scripts, read once."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

_TYPES = {
    "html": b"text/html; charset=utf-8",
    "js": b"text/javascript; charset=utf-8",
    "css": b"text/css; charset=utf-8",
    "svg": b"image/svg+xml",
}
_SCRIPTS = ("page", "choices", "editor", "server", "shown", "suggestions", "why")
#: What page.html asks for, and what that asks for.
PARTS = ("page.css", "icon.svg", *(f"{script}.js" for script in _SCRIPTS))


@cache
def page_file(name: str) -> tuple[bytes, bytes]:
    """Return the content and the type of a file of the page."""
    content = files(__package__).joinpath(name).read_bytes()
    return content, _TYPES[name.rpartition(".")[2]]
