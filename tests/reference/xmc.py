"""XMC text files."""

from __future__ import annotations

import re

import numpy as np

XmcRow = tuple[list[int], dict[int, np.float32]]  # labels; features with their values


def parse_xmc(text: bytes) -> tuple[tuple[int, int], list[XmcRow]]:
    """Return (n_features, n_labels) and the rows of a file with a header, or raise ValueError."""
    lines = text.removesuffix(b"\n").split(b"\n")
    n_rows, n_features, n_labels = xmc_header(xmc_line(lines[0]))
    body = [xmc_line(line) for line in lines[1:]]
    if len(body) < n_rows or any(line.strip(" \t") for line in body[n_rows:]):
        raise ValueError("more or fewer rows than the header says")
    return (n_features, n_labels), [xmc_row(line, n_features, n_labels) for line in body[:n_rows]]


def xmc_line(line: bytes) -> str:
    # Every byte becomes one character, so that non-ASCII bytes match no pattern below.
    return line.removesuffix(b"\r").decode("latin-1")


def xmc_header(line: str) -> tuple[int, int, int]:
    if not re.fullmatch(r"[ \t]*[0-9]+[ \t]+[0-9]+[ \t]+[0-9]+[ \t]*", line):
        raise ValueError("header")
    n_rows, n_features, n_labels = (int(size) for size in re.split(r"[ \t]+", line.strip(" \t")))
    if n_rows >= 2**63 - 1 or max(n_features, n_labels) >= 2**31:
        raise ValueError("too large")
    return n_rows, n_features, n_labels


def xmc_row(line: str, n_features: int, n_labels: int) -> XmcRow:
    labels: set[int] = set()
    features: dict[int, np.float32] = {}
    tokens = [token for token in re.split(r"[ \t]+", line) if token]
    if tokens and line[0] not in " \t" and ":" not in tokens[0]:
        labels = {xmc_index(number, n_labels) for number in tokens.pop(0).split(",")}
    for token in tokens:
        number, colon, value = token.partition(":")
        if not colon:
            raise ValueError("no colon")
        feature = xmc_index(number, n_features)
        with np.errstate(over="ignore"):
            features[feature] = features.get(feature, np.float32(0)) + xmc_value(value)
        if not np.isfinite(features[feature]):
            raise ValueError("sum beyond float32")
    return sorted(labels), dict(sorted(features.items()))


def xmc_index(number: str, size: int) -> int:
    if not re.fullmatch(r"[0-9]+", number) or int(number) >= size:
        raise ValueError("index")
    return int(number)


def xmc_value(value: str) -> np.float32:
    if not re.fullmatch(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?", value):
        raise ValueError("value")
    with np.errstate(over="ignore"):
        number = np.float32(float(value))
    if not np.isfinite(number):
        raise ValueError("beyond float32")
    return number
