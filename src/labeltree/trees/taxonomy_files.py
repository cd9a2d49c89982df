"""Hierarchy files: tables of parents and SKOS vocabularies."""

from __future__ import annotations

from typing import NamedTuple

from labeltree.data.files import Source, file_name, format_suffix
from labeltree.data.text import numbered_lines
from labeltree.trees.rdf import parsed_graph

_RDF = {
    ".ttl": "turtle",
    ".rdf": "xml",
    ".xml": "xml",
    ".owl": "xml",
    ".nt": "nt",
    ".n3": "turtle",  # the part of N3 that is not Turtle has no place in SKOS
    ".jsonld": "json-ld",
}


class Read(NamedTuple):
    """The content of a file: (parent, child) pairs and (concept, name) pairs."""

    pairs: list[tuple[str, str]]
    names: list[tuple[str, str]]


def read_hierarchy(source: Source, *, separator: str | None, language: str | None) -> Read:
    """Return what a file says; SKOS by its suffix, else a table."""
    kind = _RDF.get(format_suffix(file_name(source)))
    if kind is not None:
        return _read_skos(source, kind, language)
    return _read_table(source, separator)


def _read_table(source: Source, separator: str | None) -> Read:
    pairs = []
    for where, line in numbered_lines(source):
        if not line.strip():
            continue
        cells = [cell.strip() for cell in line.split("\t")]
        if separator is not None and len(cells) == 2:
            path = [step.strip() for step in cells[1].split(separator) if step.strip()]
            cells = [cells[0], *reversed(path)]
            cells = cells[1:] if len(cells) > 1 and cells[0] == cells[1] else cells
        while len(cells) > 1 and not cells[-1]:  # a concept at the top
            cells.pop()
        if not all(cells):
            raise ValueError(f"{where}: a line is child, tab, parent, but one of them is empty")
        if len(cells) == 1 and "\t" not in line:
            raise ValueError(f"{where}: a line is child, tab, parent, but there is no tab")
        pairs += list(zip(cells[1:], cells[:-1], strict=True))
    if not pairs:
        raise ValueError(f"{file_name(source)}: there is no child with a parent")
    return Read(pairs, [])


def _read_skos(source: Source, kind: str, language: str | None) -> Read:
    graph = parsed_graph(source, kind)
    from rdflib.namespace import SKOS

    up = {(str(above), str(below)) for below, above in graph.subject_objects(SKOS.broader)}
    up |= {(str(above), str(below)) for above, below in graph.subject_objects(SKOS.narrower)}
    if not up:
        raise ValueError(f"{file_name(source)}: there is no skos:broader or skos:narrower in it")
    named = [
        (str(concept), str(literal))
        for concept, literal in graph.subject_objects(SKOS.prefLabel)
        if language is None or getattr(literal, "language", None) == language
    ]
    named += [(str(concept), str(code)) for concept, code in graph.subject_objects(SKOS.notation)]
    # A graph is unordered; sorting makes the result deterministic.
    return Read(sorted(up), sorted(named))
