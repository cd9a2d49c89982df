"""RDF files, parsed by rdflib without opening anything but the file.

rdflib fetches the contexts that JSON-LD refers to, and expands the entities that XML declares. Both
are refused before it sees the file.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Iterator
from typing import Any
from xml.parsers import expat
from xml.sax import SAXException

from labeltree.data.files import Source, file_name, read_whole
from labeltree.data.json_text import parsed_json
from labeltree.data.limits import MAX_ADDRESS, MAX_ELEMENTS, MAX_ENTITY
from labeltree.extras import optional

# Raised by rdflib where it does not expect what a file holds.
_UNEXPECTED = (
    TypeError,
    LookupError,
    AttributeError,
    AssertionError,
    OverflowError,
    UnboundLocalError,
)
_ADDRESS = re.compile(rb"<[^\s<>\"{}|^`\\]*>")
_BASE = re.compile(rb"(?:@base|^\s*BASE)\s*<", re.MULTILINE | re.IGNORECASE)
_REMEDY = "which is never opened; put its content into the file"


def parsed_graph(source: Source, kind: str) -> Any:
    """Return the rdflib graph of a file in one of rdflib's formats.

    Raises
    ------
    ValueError
        If the file is not in this format, or refers to another file.
    """
    rdflib = optional("rdflib", "SKOS files need", "skos")
    exceptions = optional("rdflib.exceptions", "SKOS files need", "skos")
    graph = rdflib.Graph()
    content = read_whole(source)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about rdflib's own functions and odd identifiers
            _parse(content, kind, graph)
        return graph
    except UnicodeDecodeError as error:
        reason = f"byte {error.start} is not UTF-8; convert the file to UTF-8"
    except RecursionError:
        reason = "it is nested too deeply"
    except _UNEXPECTED:
        reason = "rdflib cannot read it; check it with another program"
    except (ValueError, SyntaxError, SAXException, exceptions.ParserError) as error:
        # The syntax errors of rdflib end with an excerpt of several lines.
        reason = " ".join(str(error).split()).partition(" at ^ in: ")[0].replace(" of <>:", ":")
    raise ValueError(f"{file_name(source)}: not {kind}: {reason:.160}")


def _parse(content: bytes, kind: str, graph: Any) -> None:
    if kind == "json-ld":
        graph.parse(_json_ld(content), format=kind)
        return
    if kind == "xml":
        _check_xml(content)
    else:
        _check_turtle(content)
    graph.parse(data=content, format=kind)


def _check_addresses(lengths: Iterable[int], n_bases: int) -> None:
    """Refuse long prefixes, which each name repeats, and bases that grow from one to the next."""
    longest = max(lengths, default=0)
    if longest > MAX_ADDRESS:
        raise ValueError(
            f"an address must have at most {MAX_ADDRESS} characters, but one has {longest}"
        )
    if n_bases > 1:
        raise ValueError(f"a file must have at most one base address, but has {n_bases}")


# Turtle -----------------------------------------------------------------------------------------


def _check_turtle(content: bytes) -> None:
    _check_addresses(map(len, _ADDRESS.findall(content)), len(_BASE.findall(content)))


# JSON-LD ----------------------------------------------------------------------------------------


def _json_ld(content: bytes) -> Any:
    """Return the document for rdflib, which is a tree of values that refers to no other file."""
    from rdflib.parser import PythonInputSource

    document = parsed_json(content.decode("utf-8-sig"))
    addresses, n_bases = _addresses(document)
    _check_addresses(addresses, n_bases)
    for reference in _references(document):
        raise ValueError(f"it refers to the context {reference!r:.60}, {_REMEDY}")
    if not isinstance(document, dict | list):
        raise ValueError("the document must be an object or a list")
    return PythonInputSource(document)


def _references(document: Any) -> Iterator[str]:
    """Yield the contexts that are names of other documents, wherever they are."""
    stack = [document]
    while stack:
        value = stack.pop()
        if isinstance(value, dict):
            stack += value.values()
            yield from _texts(value.get("@context"))
            yield from _texts(value.get("@import"))
        elif isinstance(value, list):
            stack += value


def _addresses(document: Any) -> tuple[list[int], int]:
    """Return the lengths of all strings in contexts, and the number of base addresses."""
    lengths, n_bases = [], 0
    stack = [(document, False)]
    while stack:
        value, is_context = stack.pop()
        if isinstance(value, dict):
            n_bases += "@base" in value
            stack += [(entry, is_context or key == "@context") for key, entry in value.items()]
        elif isinstance(value, list):
            stack += [(entry, is_context) for entry in value]
        elif isinstance(value, str) and is_context:
            lengths.append(len(value))
    return lengths, n_bases


def _texts(value: Any) -> Iterator[str]:
    """Yield the strings in lists in lists."""
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, list):
            stack += item


# XML --------------------------------------------------------------------------------------------


def _check_xml(content: bytes) -> None:
    """Refuse declarations that make a document larger than its file, and elements too deep.

    Entities that abbreviate namespaces, as editors write them, are allowed.
    """
    depth = n_bases = 0

    def check_entity(
        name: str, _parameter: bool, value: str | None, _base: str | None, *_where: str | None
    ) -> None:
        if value is None:
            raise ValueError(f"the entity {name!r:.40} is in another file, {_REMEDY}")
        if "&" in value or "%" in value or len(value) > MAX_ENTITY:
            raise ValueError(
                f"an entity must be at most {MAX_ENTITY} characters without other entities, but "
                f"{name!r:.40} is not; write out its value"
            )

    def check_type(name: str, system: str | None, *_: object) -> None:
        if system is not None:
            raise ValueError(f"the document type is in another file, {_REMEDY}")

    def check_attribute(element: str, name: str, *_: object) -> None:
        raise ValueError(f"attributes must not be declared, but {name!r:.40} is; remove it")

    def start(_: str, attributes: dict[str, str]) -> None:
        nonlocal depth, n_bases
        depth += 1
        n_bases += "xml:base" in attributes
        spaces = (value for name, value in attributes.items() if name.startswith("xml"))
        _check_addresses(map(len, spaces), n_bases)
        if depth > MAX_ELEMENTS:
            raise ValueError(f"elements must be nested at most {MAX_ELEMENTS} deep")

    def end(*_: object) -> None:
        nonlocal depth
        depth -= 1

    parser = expat.ParserCreate()
    parser.EntityDeclHandler = check_entity
    parser.StartDoctypeDeclHandler = check_type
    parser.AttlistDeclHandler = check_attribute
    parser.StartElementHandler = start
    parser.EndElementHandler = end
    try:
        parser.Parse(content, True)
    except expat.ExpatError as error:
        raise ValueError(f"line {error.lineno}: {expat.ErrorString(error.code)}") from None
