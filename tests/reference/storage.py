"""The model file, as docs/reference/model-file.md describes it."""

from __future__ import annotations

import json
import struct
from typing import Any

import numpy as np
import xxhash


def checksum(data: bytes) -> int:
    """Return the checksum of docs/reference/model-file.md: the hash of the hashes of blocks."""
    size = 2**20
    blocks = [data[first : first + size] for first in range(0, len(data), size)]
    hashes = [xxhash.xxh3_64_intdigest(block).to_bytes(8, "little") for block in blocks]
    return xxhash.xxh3_64_intdigest(b"".join(hashes))


def read_sections(file: bytes) -> dict[str, dict[str, Any]]:
    """Return required, content and arrays of each section by name; AssertionError if damaged."""
    magic, version, length, expected = struct.unpack_from("<8sQQQ", file)
    assert (magic, version) == (b"\x89LTM\r\n\x1a\n", 1)
    header, data = file[32 : 32 + length], file[32 + length :]
    assert checksum(header) == expected
    sections = {}
    end = 0
    for section in json.loads(header)["sections"]:
        arrays = {}
        for entry in section["arrays"]:
            assert entry["offset"] == (end + 63) // 64 * 64
            n_bytes = np.dtype(entry["dtype"]).itemsize * int(np.prod(entry["shape"]))
            assert not any(data[end : entry["offset"]])
            end = entry["offset"] + n_bytes
            content = data[entry["offset"] : end]
            assert f"{checksum(content):016x}" == entry["checksum"]
            array = np.frombuffer(content, "<" + entry["dtype"]).reshape(entry["shape"])
            arrays[entry["name"]] = array
        parts = {"required": section["required"], "content": section["content"], "arrays": arrays}
        sections[section["name"]] = parts
    assert end == len(data)
    return sections


# Predictions of a file --------------------------------------------------------------------------

LINKS = {"logistic": (1.0, 0.0), "squared_hinge": (4.0, 1.5)}


def predict_proba(sections: dict[str, dict[str, Any]], X: np.ndarray) -> np.ndarray:
    """Probabilities of all labels, by what docs/reference/model-file.md says alone."""
    rows = [scaled_row(sections, np.asarray(x, np.float64)) for x in X]
    model = sections["model"]["content"]
    trees = [tree_probabilities(sections, t, rows) for t in range(model["n_trees"])]
    mean = np.mean(trees, axis=0)
    if "rankers" in sections:
        mean = mean * ranker_estimates(sections, rows)
    if "implications" in sections:
        mean = raised(sections["implications"]["arrays"], mean)
    arrays = sections.get("calibration", {"arrays": {}})["arrays"]
    if "curve.x" in arrays:
        mean = np.interp(mean, arrays["curve.x"], arrays["curve.y"])
    estimator = sections["estimator"]["content"]
    if estimator["label_kind"] == "classes" and estimator["parameters"]["normalize_proba"]:
        mean = mean / mean.sum(axis=1, keepdims=True)
    return mean


def raised(arrays: dict[str, np.ndarray], probabilities: np.ndarray) -> np.ndarray:
    """The maximum over each label and those that imply it, [row, label]."""
    indptr, indices = arrays["implications.indptr"], arrays["implications.indices"]
    best = probabilities.copy()
    for label in range(len(indptr) - 1):
        for implied in indices[indptr[label] : indptr[label + 1]]:
            best[:, implied] = np.maximum(best[:, implied], probabilities[:, label])
    return best


def scaled_row(sections: dict[str, dict[str, Any]], x: np.ndarray) -> np.ndarray:
    """A row as the nodes see it."""
    if "row_scaling" in sections:
        arrays, content = sections["row_scaling"]["arrays"], sections["row_scaling"]["content"]
        if "row_scaling.pair_begin" in arrays:
            begin, partners = arrays["row_scaling.pair_begin"], arrays["row_scaling.pair_partners"]
            firsts = np.repeat(np.arange(len(begin) - 1), np.diff(begin))
            product = x[firsts] * x[partners]
            pairs = np.sign(product) * content["pair_factor"] * np.sqrt(np.abs(product))
            x = np.concatenate([x, pairs])
        weights = arrays["row_scaling.weights"]
        x = np.sign(x) * np.abs(x) ** sections["row_scaling"]["content"]["power"]
        x = x * weights if len(weights) else x
    elif not sections["estimator"]["content"]["parameters"]["normalize"]:
        return x
    square = float(x @ x)
    return x if square == 0 or abs(square - 1) <= 1e-3 else x / np.sqrt(square)


def tree_probabilities(
    sections: dict[str, dict[str, Any]], t: int, rows: list[np.ndarray]
) -> np.ndarray:
    """Products along the paths to all labels, [row, label]."""
    content, arrays = sections["model"]["content"], sections["model"]["arrays"]
    parent, label = arrays[f"tree{t}.parent"], arrays[f"tree{t}.label"]
    weights = node_weights(arrays, f"tree{t}", parent, content["n_features"])
    scores = np.array(rows) @ weights.T + arrays[f"tree{t}.bias"]
    slope, intercept = LINKS[content["link"]]
    fitted = sections.get("calibration", {"arrays": {}})["arrays"]
    if f"tree{t}.slope" in fitted:
        slope, intercept = fitted[f"tree{t}.slope"], fitted[f"tree{t}.intercept"]
    siblings = sections.get("calibration", {"content": {}})["content"].get("siblings")
    if f"tree{t}.slope" not in fitted and siblings == "one" and content["link"] == "squared_hinge":
        n_siblings = np.bincount(parent[1:], minlength=len(parent))[np.maximum(parent, 0)]
        slope, intercept = np.maximum(4, 2.25 * n_siblings**0.25), -0.5
    if f"tree{t}.slope" not in fitted and f"tree{t}.factor" in fitted:
        factor = fitted[f"tree{t}.factor"]
        slope, intercept = slope * factor, intercept + slope * (factor - 1)
    of_node = 1 / (1 + np.exp(-(slope * scores + intercept)))
    if not content["has_root"]:
        of_node[:, 0] = 1
    for node in np.unique(parent[1:]) if siblings else ():
        children = np.flatnonzero(parent == node)
        sums = of_node[:, children].sum(axis=1)
        is_divided = (sums < 1) | (siblings == "one")
        of_node[np.ix_(is_divided, children)] /= sums[is_divided, None]
    for node in range(1, len(parent)):  # parents come before their children
        of_node[:, node] *= of_node[:, parent[node]]
    leaves = np.flatnonzero(label >= 0)
    return of_node[:, leaves[np.argsort(label[leaves])]]


def ranker_estimates(sections: dict[str, dict[str, Any]], rows: list[np.ndarray]) -> np.ndarray:
    """Factors of the rankers of all labels, [row, label]."""
    content, arrays = sections["rankers"]["content"], sections["rankers"]["arrays"]
    model = sections["model"]
    parent, label = model["arrays"]["tree0.parent"], model["arrays"]["tree0.label"]
    weights = node_weights(arrays, "rankers", parent, model["content"]["n_features"])
    scores = np.array(rows) @ weights.T + arrays["rankers.bias"]
    of_node = 1 / (1 + np.exp(-(content["slope"] * scores + content["intercept"])))
    leaves = np.flatnonzero(label >= 0)
    return of_node[:, leaves[np.argsort(label[leaves])]]


def node_weights(
    arrays: dict[str, np.ndarray], prefix: str, parent: np.ndarray, n_features: int
) -> np.ndarray:
    """Weights of all nodes, [node, feature]."""
    shift, bucket_begin, byte_begin, buckets, data, scale = (
        arrays[f"{prefix}.{name}"]
        for name in ("shift", "bucket_begin", "byte_begin", "buckets", "bytes", "scale")
    )
    dtype = np.dtype({1: "<i1", 2: "<i2", 4: "<f4"}[int(arrays[f"{prefix}.weight_bytes"][0])])
    weights = np.zeros((len(parent), n_features))
    for g, nodes in enumerate(groups(parent)):
        s = int(shift[g])
        for b in range((n_features - 1) // 2**s + 1):
            first, last = (int(byte_begin[g] + buckets[bucket_begin[g] + b + i]) for i in (0, 1))
            for low, part in features_of(data[first:last].tobytes(), s):
                siblings, values = siblings_of(part, len(nodes), dtype)
                for sibling, value in zip(siblings, values, strict=True):
                    unit = scale[nodes[sibling]] if len(scale) else 1.0
                    weights[nodes[sibling], b * 2**s + low] = value * unit
    return weights


def groups(parent: np.ndarray) -> list[list[int]]:
    """Up to 256 siblings each; the root alone comes first."""
    found = [[0]]
    for node in range(len(parent)):
        children = np.flatnonzero(parent == node).tolist()
        found += [children[first : first + 256] for first in range(0, len(children), 256)]
    return found


def features_of(bucket: bytes, shift: int) -> list[tuple[int, bytes]]:
    """Features of a bucket, less the first one that it may have, with their bytes."""
    if not bucket or shift == 0:
        return [(0, bucket)] if bucket else []
    n = struct.unpack_from("<H", bucket)[0] // 4
    offsets = [*struct.unpack_from(f"<{n}H", bucket), len(bucket)]
    low = struct.unpack_from(f"<{n}H", bucket, 2 * n)
    return [(low[i], bucket[offsets[i] : offsets[i + 1]]) for i in range(n)]


def siblings_of(part: bytes, n_siblings: int, dtype: np.dtype) -> tuple[Any, np.ndarray]:
    """Siblings with a weight for a feature, and these weights."""
    if len(part) == n_siblings * dtype.itemsize:
        return range(n_siblings), np.frombuffer(part, dtype)
    count = len(part) // (1 + dtype.itemsize)
    return part[:count], np.frombuffer(part[count:], dtype)
