"""Conversion of trees to and from nested lists, JSON, Newick and Graphviz dot."""

from __future__ import annotations

import itertools
import json
import os
import re
from collections.abc import Iterator
from numbers import Integral
from typing import TYPE_CHECKING, Any

from labeltree.arguments import shown
from labeltree.data.files import format_suffix, open_write, read_whole
from labeltree.data.json_text import parsed_json
from labeltree.trees.parents import Parents, number_labels

if TYPE_CHECKING:
    from labeltree.trees.tree import LabelTree

_SUFFIXES = {".json": "json", ".nwk": "newick", ".newick": "newick", ".dot": "dot", ".gv": "dot"}

JSON_FORMAT = "labeltree.tree"
JSON_VERSION = 1


# Files ------------------------------------------------------------------------------------------


def format_of(path: str | os.PathLike[str]) -> str:
    """Return which format a file has by its suffix; .gz or .zst may follow."""
    suffix = format_suffix(path)
    if suffix not in _SUFFIXES:
        raise ValueError(
            f"a tree file ends in {', '.join(_SUFFIXES)}, but {os.fspath(path)!r} does not"
        )
    return _SUFFIXES[suffix]


def save(tree: LabelTree, path: str | os.PathLike[str]) -> None:
    """Write a tree in the format that the suffix determines."""
    write = {"json": to_json, "newick": to_newick, "dot": to_dot}[format_of(path)]
    text = write(tree)
    with open_write(path) as stream:
        stream.write(text.encode())


def load(path: str | os.PathLike[str]) -> Parents:
    """Return the tree of a file whose suffix determines the format."""
    parse = {"json": parse_json, "newick": parse_newick, "dot": parse_dot}[format_of(path)]
    content = read_whole(path)
    try:
        return parse(content.decode())
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{os.fspath(path)}: a tree file must be UTF-8, but byte {error.start} is not; convert "
            "the file to UTF-8"
        ) from None
    except ValueError as error:
        raise ValueError(f"{os.fspath(path)}: {error}") from None


# Nested lists -----------------------------------------------------------------------------------


def to_nested(tree: LabelTree) -> Any:
    """Return nested lists with label numbers at the leaves."""
    values: list[Any] = tree.label.tolist()
    for v in reversed(range(tree.n_nodes)):
        if tree.degree[v]:
            values[v] = [values[c] for c in tree.children(v)]
    return values[0]


def parse_nested(nested: object) -> Parents:
    """Return the tree given as nested lists of label numbers or names."""
    parent: list[int] = []
    leaves: list[int | str] = []
    leaf_nodes: list[int] = []
    lists: set[int] = set()
    stack: list[tuple[object, int]] = [(nested, -1)]
    while stack:
        item, above = stack.pop()
        v = len(parent)
        parent.append(above)
        if isinstance(item, list | tuple):
            if not item:
                raise ValueError(f"an inner node must have children, but node {v} is an empty list")
            if id(item) in lists:
                raise ValueError(
                    f"a label must be on one leaf, but the list at node {v} occurs twice"
                )
            lists.add(id(item))
            stack.extend((child, v) for child in reversed(item))
        else:
            leaves.append(_nested_leaf(item, v))
            leaf_nodes.append(v)
    return _with_leaves(parent, leaf_nodes, leaves)


def _nested_leaf(item: object, node: int) -> int | str:
    if isinstance(item, str):
        return item
    if isinstance(item, Integral) and not isinstance(item, bool):
        return int(item)
    raise TypeError(
        f"nested lists must hold integers, names or lists, but node {node} is {type(item).__name__}"
    )


def _with_leaves(parent: list[int], nodes: list[int], leaves: list[int | str]) -> Parents:
    label = [-1] * len(parent)
    numbers, names = number_labels(leaves)
    for v, j in zip(nodes, numbers, strict=True):
        label[v] = j
    return Parents(parent, label, names)


# JSON -------------------------------------------------------------------------------------------


def to_json(tree: LabelTree) -> str:
    """Return the flat arrays as a JSON object."""
    document = {
        "format": JSON_FORMAT,
        "version": JSON_VERSION,
        "parent": tree.parent.tolist(),
        "label": tree.label.tolist(),
        "names": None if tree.names is None else list(tree.names),
    }
    try:
        return json.dumps(document, separators=(",", ":"), ensure_ascii=False)
    except TypeError as error:
        raise TypeError(f"JSON requires names that are strings or numbers; {error}") from None


def parse_json(text: str) -> Parents:
    """Return the tree that `to_json` wrote."""
    document = parsed_json(text)
    if not isinstance(document, dict) or document.get("format") != JSON_FORMAT:
        raise ValueError(f'a tree file must have "format": "{JSON_FORMAT}", but this one does not')
    if document.get("version") != JSON_VERSION:
        raise ValueError(
            f"the tree has format version {shown(document.get('version'))}; this release reads "
            f"{JSON_VERSION}. Upgrade labeltree"
        )
    for key in ("parent", "label"):
        values = document.get(key)
        if not isinstance(values, list) or not all(type(value) is int for value in values):
            raise ValueError(f'"{key}" of a tree file must be a list of integers, but is not')
    names = document.get("names")
    if names is not None and not isinstance(names, list):
        raise ValueError('"names" of a tree file must be a list or null, but is neither')
    if any(isinstance(name, list | dict) for name in names or ()):
        raise ValueError('"names" of a tree file must hold strings or numbers, but one is neither')
    return Parents(document["parent"], document["label"], names)


# Newick -----------------------------------------------------------------------------------------

_PLAIN = re.compile(r"[^\s()\[\]{}:;,'\"]+")
_TOKEN = re.compile(
    r"\s*(?:\[[^\]]*\]\s*)*('(?:[^']|'')*+'|[(),;]|:\s*[^\s(),;]+|[^\s()\[\]:;,']+)"
)


def to_newick(tree: LabelTree) -> str:
    """Return the tree as nested parentheses followed by a semicolon."""
    return "".join(_newick_parts(tree)) + ";"


def _newick_parts(tree: LabelTree) -> Iterator[str]:
    labels = leaf_texts(tree)
    stack: list[int | str] = [0]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            yield item
        elif tree.degree[item] == 0:
            name = labels[tree.label[item]]
            yield name if _PLAIN.fullmatch(name) else "'" + name.replace("'", "''") + "'"
        else:
            yield "("
            stack.append(")")
            for i, child in enumerate(reversed(tree.children(item))):
                stack.extend([","] if i else [])
                stack.append(child)


def leaf_texts(tree: LabelTree) -> list[str]:
    """Return the name of each label, or its number if there are no names."""
    return [str(name) for name in (tree.names or range(tree.n_labels))]


def parse_newick(text: str) -> Parents:
    """Return the tree of a Newick string; names of inner nodes and lengths are ignored."""
    parent: list[int] = []
    leaves: list[int | str] = []
    leaf_nodes: list[int] = []
    above = -1  # the node whose children are being read
    expects_node = True
    for token, position in _newick_tokens(text):
        if expects_node and token not in ("(", ")", ",", ";") and token[0] != ":":
            leaf_nodes.append(len(parent))
            parent.append(above)
            leaves.append(token[1:-1].replace("''", "'") if token[0] == "'" else token)
            expects_node = False
        elif expects_node and token == "(":
            parent.append(above)
            above = len(parent) - 1
        elif not expects_node and token == "," and above >= 0:
            expects_node = True
        elif not expects_node and token == ")" and above >= 0:
            above = parent[above]
        elif not expects_node and token == ";" and above < 0:
            break
        elif expects_node or token in ("(", ",", ")", ";"):
            raise ValueError(f"Newick text has {token!r} out of place at position {position}")
    else:
        raise ValueError("Newick text must end with a semicolon, but this text is truncated")
    return _with_leaves(parent, leaf_nodes, leaves)


def _newick_tokens(text: str) -> Iterator[tuple[str, int]]:
    position = 0
    while match := _TOKEN.match(text, position):
        yield match.group(1), match.start(1)
        position = match.end()
    rest = text[position:].strip()
    if rest:
        raise ValueError(f"Newick text cannot be read at position {position}: {rest[:20]!r}")


# Graphviz dot -----------------------------------------------------------------------------------

_DOT_SKIP = re.compile(r"\s+|//[^\n]*|/\*.*?\*/|\#[^\n]*", re.DOTALL)
_DOT_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+"|->|[\[\]{};=,]|(?:(?!->)[\w.+-])+', re.DOTALL)
_DOT_DEFAULTS = ("node", "edge", "graph")


def to_dot(tree: LabelTree) -> str:
    """Return a Graphviz digraph with labels in boxes."""
    lines = ["digraph labeltree {", '  node [shape=point, label=""];']
    lines += [f"  {tree.parent[v]} -> {v};" for v in range(1, tree.n_nodes)]
    for j, name in enumerate(leaf_texts(tree)):
        quoted = name.replace("\\", "\\\\").replace('"', '\\"')
        lines.append(f'  {tree.leaves[j]} [shape=box, label="{quoted}"];')
    return "\n".join([*lines, "}", ""])


def parse_dot(text: str) -> Parents:
    """Return the tree of a digraph whose edges point from parent to child."""
    number: dict[str, int] = {}
    parent: list[int] = []
    texts: dict[int, str] = {}
    for chain, label, line in _dot_statements(_dot_tokens(text)):
        for name in chain:
            if name not in number:
                number[name] = len(parent)
                parent.append(-1)
        for above, below in itertools.pairwise(chain):
            if parent[number[below]] not in (-1, number[above]):
                raise ValueError(
                    f"a node must have one parent, but {below} has a second in line {line}"
                )
            parent[number[below]] = number[above]
        if label is not None and len(chain) == 1:
            texts[number[chain[0]]] = label
    inner = set(parent)
    # Labels are numbered in the order of their texts, which is how to_dot writes them.
    order = list(texts) + [v for v in range(len(parent)) if v not in texts]
    leaf_nodes = [v for v in order if v not in inner]
    ids = list(number)
    return _with_leaves(parent, leaf_nodes, [texts.get(v, ids[v]) for v in leaf_nodes])


def _dot_tokens(text: str) -> Iterator[tuple[str, int]]:
    """Yield (token, line)."""
    position, line = 0, 1
    while position < len(text):
        match = _DOT_TOKEN.match(text, position) or _DOT_SKIP.match(text, position)
        if match is None:
            raise ValueError(f"dot text cannot be read in line {line}: {text[position]!r}")
        if match.re is _DOT_TOKEN:
            yield match.group(), line
        line += match.group().count("\n")
        position = match.end()


def _dot_statements(
    tokens: Iterator[tuple[str, int]],
) -> Iterator[tuple[list[str], str | None, int]]:
    """Yield (nodes joined by edges, label or None, line)."""
    header = [token for token, _ in itertools.takewhile(lambda item: item[0] != "{", tokens)]
    if "digraph" not in header[:2]:
        raise ValueError("a dot tree must be a digraph { ... }, but this text is not")
    rest = list(tokens)
    if not rest or rest[-1][0] != "}":
        raise ValueError("a dot tree must end with }, but this text is truncated")
    at = 0
    while rest[at][0] != "}":
        token, line = rest[at]
        chain = [_dot_name(token, line)] if token != ";" else []
        at += 1
        while chain and rest[at][0] == "->":
            chain.append(_dot_name(*rest[at + 1]))
            at += 2
        label = None
        if chain and rest[at][0] == "[":
            end = next((i for i in range(at, len(rest)) if rest[i][0] == "]"), None)
            if end is None:
                raise ValueError(f"dot attributes must end with ], but those of line {line} do not")
            label = _dot_label(rest[at + 1 : end])
            at = end + 1
        elif chain and rest[at][0] == "=":  # a setting of the graph
            _dot_name(*rest[at + 1])
            at += 2
            continue
        if chain and token not in _DOT_DEFAULTS:
            yield chain, label, line
    if at != len(rest) - 1:
        raise ValueError(f"a dot tree must end with }}, but goes on in line {rest[at + 1][1]}")


def _dot_name(token: str, line: int) -> str:
    if token in ("->", "[", "]", "{", "}", ";", "=", ","):
        raise ValueError(f"dot text has {token!r} out of place in line {line}")
    return re.sub(r"\\(.)", r"\1", token[1:-1], flags=re.DOTALL) if token[0] == '"' else token


def _dot_label(attributes: list[tuple[str, int]]) -> str | None:
    for i, (token, _) in enumerate(attributes[:-2]):
        if token == "label" and attributes[i + 1][0] == "=":
            return _dot_name(*attributes[i + 2])
    return None
