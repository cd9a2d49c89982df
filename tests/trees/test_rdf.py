"""RDF files: what is read, and that nothing but the file is opened."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from labeltree.trees import Hierarchy

pytest.importorskip("rdflib")

SKOS = "http://www.w3.org/2004/02/skos/core#"
NODE = {"@id": "http://e/dog", "broader": {"@id": "http://e/animal"}}


@pytest.fixture
def server() -> Iterator[tuple[str, list[str]]]:
    """The address of a server on this machine, and the requests that it has seen."""
    seen: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            seen.append(self.path)
            self.send_response(404)
            self.end_headers()

    with HTTPServer(("127.0.0.1", 0), Handler) as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{running.server_port}", seen
        running.shutdown()


def test_a_context_in_the_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonld"
    path.write_text(json.dumps({"@context": {"broader": SKOS + "broader"}, **NODE}))
    assert Hierarchy.load(path).ancestors("http://e/dog") == ["http://e/animal"]


def test_a_list_of_nodes_is_read(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonld"
    path.write_text(json.dumps([{"@context": {"@vocab": SKOS}, **NODE}]))
    assert Hierarchy.load(path).ancestors("http://e/dog") == ["http://e/animal"]


def test_a_context_elsewhere_is_refused_without_a_request(
    tmp_path: Path, server: tuple[str, list[str]]
) -> None:
    address, seen = server
    path = tmp_path / "t.jsonld"
    path.write_text(json.dumps({"@context": f"{address}/context.jsonld", **NODE}))
    with pytest.raises(ValueError, match="which is never opened; put its content into the file"):
        Hierarchy.load(path)
    assert seen == []


@pytest.mark.parametrize("suffix", ["ttl", "n3", "nt", "rdf"])
def test_addresses_in_a_file_are_not_requested(
    tmp_path: Path, server: tuple[str, list[str]], suffix: str
) -> None:
    rdflib = pytest.importorskip("rdflib")
    address, seen = server
    graph = rdflib.Graph().parse(
        data=f"@base <{address}/base> . <> <http://www.w3.org/2002/07/owl#imports> <{address}/a> . "
        f"<{address}/dog> <{SKOS}broader> <{address}/animal> .",
        format="turtle",
    )
    kind = {"ttl": "turtle", "n3": "n3", "nt": "nt", "rdf": "xml"}[suffix]
    path = tmp_path / f"t.{suffix}"
    path.write_text(graph.serialize(format=kind))
    assert Hierarchy.load(path).ancestors(f"{address}/dog") == [f"{address}/animal"]
    assert seen == []


def test_entities_that_abbreviate_namespaces_are_read(tmp_path: Path) -> None:
    path = tmp_path / "t.owl"
    path.write_text(
        f'<!DOCTYPE rdf:RDF [<!ENTITY skos "{SKOS}"> <!ENTITY e "http://e/">]>\n'
        '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:skos="&skos;">'
        '<skos:Concept rdf:about="&e;dog"><skos:broader rdf:resource="&e;animal"/></skos:Concept>'
        "</rdf:RDF>"
    )
    assert Hierarchy.load(path).ancestors("http://e/dog") == ["http://e/animal"]
