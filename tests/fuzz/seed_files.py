"""A few correct files of every format that is read, and the tokens of each."""

from __future__ import annotations

import io
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Any

import numpy as np
from scipy import sparse

import labeltree as lt
from tests.animals import PAIRS

_SKOS = "http://www.w3.org/2004/02/skos/core#"
_TURTLE = f"""@prefix skos: <{_SKOS}> .
@prefix e: <http://example.org/> .
e:dog skos:prefLabel "dog"@en, "Hund"@de ; skos:broader e:animal ; skos:notation "1.2" .
e:cat skos:prefLabel "cat"@en ; skos:broader e:animal .
e:dog skos:narrower e:poodle .
""".encode()
_RDF = f"""<?xml version="1.0"?>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:skos="{_SKOS}">
<skos:Concept rdf:about="http://e.org/dog"><skos:broader rdf:resource="http://e.org/pet"/>
<skos:prefLabel xml:lang="en">dog</skos:prefLabel></skos:Concept></rdf:RDF>
""".encode()
_JSONLD = f"""[{{"@id": "http://e.org/dog", "{_SKOS}broader": [{{"@id": "http://e.org/pet"}}],
"{_SKOS}prefLabel": [{{"@value": "dog", "@language": "en"}}]}}]""".encode()
_TRIPLES = f"<http://e.org/dog> <{_SKOS}broader> <http://e.org/pet> .\n".encode()

ANY_TOKENS = [
    *(b"\n", b"\r\n", b"\r", b"\t", b" ", b"\x00", b"\xff", b"\xef\xbb\xbf", b"\xc3", b"\xe2\x80"),
    *(b'"', b"'", b",", b":", b";", b"|", b"-1", b"0", b"1", b"1.5", b"1e999", b"nan", b"-inf"),
    *(b"99999999", b"2147483647", b"2147483648", b"9223372036854775808", b"1" * 400, b"1" * 5000),
    "\u202e".encode(),
    "\u2028".encode(),
    "é".encode(),
]
_JSON_TOKENS = [b"{", b"}", b"[", b"]", b"null", b"true", b"NaN", b'"\\ud800"', b'""', b"[" * 2000]
_JSON_TOKENS += [b'{"a":' * 2000, b'"tags"', b'"text"', b"1e400", b"\\u0000"]
_RDF_TOKENS = [b"<", b">", b".", b"@en", b"_:b", b"[]", b"()", b"a", b"(" * 1500, b"[ " * 1500]
_XML_TOKENS = [b"<a>", b"</a>", b"<a/>", b"&amp;", b"&x;", b'<!DOCTYPE a [<!ENTITY x "y">]>']
_LD_TOKENS = [
    b'"@context"',
    b'"@graph"',
    b'"@id"',
    b'"@list"',
    b'"@type"',
    b'"http://127.0.0.1:9/"',
]
_TREE_TOKENS = [b"(", b")", b"();", b"->", b"a -> b", b"digraph", b"{", b"}", b"[", b"]", b"="]
_TREE_TOKENS += [b"label=", b"//", b"/*", b"*/", b"#", b"\\", b"(" * 3000, b"node", b"subgraph"]
_CBOR_TOKENS = [bytes([kind | size]) for kind in range(0, 256, 32) for size in (0, 1, 23)]
_CBOR_TOKENS += [b"\x1b" + b"\xff" * 8, b"\x9b" + b"\x7f" * 8, b"\xbf", b"\x9f", b"\xff"]
_CBOR_TOKENS += [b"\x1a\x05\xf5\xe1\x00", b"\x81" * 3000]


@dataclass(frozen=True)
class Form:
    """A format: where its files lie in a folder, and what may occur in them."""

    name: str
    seeds: list[dict[str, bytes]]  # content by path
    tokens: list[bytes] = field(default_factory=list)


def npz(matrix: Any) -> bytes:
    """Return the file of a sparse matrix."""
    stream = io.BytesIO()
    sparse.save_npz(stream, matrix)
    return stream.getvalue()


def _cbor_tree() -> bytes:
    """{"Branch": {"weights": [1.0], "children": [{"Leaf": {...}}, {"Leaf": {...}}]}}"""
    leaf = b"\xa1\x64Leaf\xa2\x67weights\x81\xfa\x3f\x80\x00\x00\x66labels\x82\x00\x01"
    other = b"\xa1\x64Leaf\xa1\x66labels\x81\x02"
    return b"\xa1\x66Branch\xa2\x67weights\x81\xf4\x68children\x82" + leaf + other


def all_forms() -> list[Form]:
    """Return all formats."""
    return [*_texts(), *_matrices(), *_trees(), *_hierarchies()]


def _texts() -> list[Form]:
    jsonl = '{"text": "grüner tee", "tags": ["tea"]}\n{"text": "rye", "tags": ["a", "b"]}\n'
    csv = 'text,tags,id\n"green, tea",tea,1\n"rye ""bread""","a;b",2\n'
    return [
        Form("jsonl", [{"a.jsonl": jsonl.encode()}], _JSON_TOKENS),
        Form("csv", [{"a.csv": csv.encode()}], [b'""', b"text", b"tags", b'"\n"']),
        Form("tsv", [{"a.tsv": "grüner tee\ttea,green\nrye\tbread\n".encode()}], [b"text\ttags"]),
        Form("fasttext", [{"a.ft": b"__label__tea __label__b green tea\n__label__c x\n"}], [b"__"]),
        Form("folder", [{"a/tea.txt": b"green", "a/tea.tags": b"tea\n", "b/c/x.txt": b"rye"}]),
        *_parquet(),
    ]


def _parquet() -> list[Form]:
    if find_spec("pyarrow") is None:
        return []
    stream = io.BytesIO()
    lt.data.write_parquet(stream, [(f"text {i % 7}", ["a", "b"][: i % 3]) for i in range(50)])
    return [Form("parquet", [{"a.parquet": stream.getvalue()}], [b"PAR1", b"text", b"\xff" * 4])]


def _matrices() -> list[Form]:
    rng = np.random.default_rng(0)
    X = sparse.random_array((4, 6), density=0.5, rng=rng, dtype=np.float32).tocsr()
    Y = (X != 0).astype(np.uint8)
    xmc = b"3 5 4\n0,1 0:1 2:0.5\n1 1:2e-3\n 0:1 4:-1.25\n"
    tokens = [b"0:", b":1", b"0,1", b"3 5 4", b"#", b"1e-400", b"0x1p3", b"+1", b".5", b"5.", b"e"]
    return [
        Form("xmc", [{"a.txt": xmc}], tokens),
        Form("xmc_plain", [{"a.txt": xmc.partition(b"\n")[2]}], tokens),
        Form("npz", [{"a.npz": npz(X)}, {"a.npz": npz(X.tocoo())}, {"a.npz": npz(X.tocsc())}]),
        Form("npz_labels", [{"a.npz": npz(Y)}, {"a.npz": npz(Y.tocoo())}]),
    ]


def _trees() -> list[Form]:
    tree = lt.LabelTree.from_nested([["cat", "sea fish"], "dog", ["a", "b'c"]])
    plain = lt.LabelTree.from_nested([[0, 1], 2])
    levels = [
        sparse.csr_array(np.ones((2, 1), np.float32)),
        sparse.csr_array(np.eye(2, dtype="f4")),
    ]
    pecos = {"config.json": b'{"len": 2}', "C0.npz": npz(levels[0]), "C1.npz": npz(levels[1])}
    model = {"ranker/0.model/C.npz": npz(levels[0]), "ranker/1.model/C.npz": npz(levels[1])}
    return [
        Form("tree_json", [{"a.json": t.to_json().encode()} for t in (tree, plain)], _JSON_TOKENS),
        Form("newick", [{"a.nwk": t.to_newick().encode()} for t in (tree, plain)], _TREE_TOKENS),
        Form("dot", [{"a.dot": t.to_dot().encode()} for t in (tree, plain)], _TREE_TOKENS),
        Form("omikuji", [{"tree0.cbor": _cbor_tree()}], _CBOR_TOKENS),
        Form(
            "napkinxc", [{"tree.txt": b"3 5\n-1 0 \n0 1 \n0 2 2\n1 3 0\n1 4 1\n"}], [b"-1 0", b"2"]
        ),
        Form("pecos", [pecos, model], _JSON_TOKENS),
    ]


def _hierarchies() -> list[Form]:
    table = "".join(f"{child}\t{parent}\n" for parent, child in PAIRS).encode()
    paths = b"cat\tanimal/pet\ndog\tanimal / pet\noak\tplant\n"
    return [
        Form("hierarchy", [{"a.tsv": table}, {"a.tsv": paths}], [b"\t\t", b"/", b"//"]),
        Form("turtle", [{"a.ttl": _TURTLE}], _RDF_TOKENS),
        Form("rdf", [{"a.rdf": _RDF}], _XML_TOKENS),
        Form("jsonld", [{"a.jsonld": _JSONLD}], [*_JSON_TOKENS, *_LD_TOKENS]),
        Form("triples", [{"a.nt": _TRIPLES}], _RDF_TOKENS),
    ]
