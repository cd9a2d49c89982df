"""Model files changed where it hurts, with all checksums right again."""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labeltree.storage.table import ALIGNMENT
from tests.fuzz.byte_mutations import Random, cut, dropped, flipped, pick, spliced
from tests.fuzz.odd_arrays import odd_array
from tests.fuzz.odd_json import with_odd_value
from tests.model_files import assemble, take_apart
from tests.reference import storage as reference


@dataclass
class Parts:
    """A file taken apart: sections in order, and their arrays by name."""

    sections: list[dict[str, Any]]
    arrays: dict[str, NDArray[Any]]

    @classmethod
    def of(cls, file: bytes) -> Parts:
        """Take a whole file apart."""
        header, data = take_apart(file)
        arrays = {}
        for section in header["sections"]:
            for entry in section["arrays"]:
                count, dtype = int(np.prod(entry["shape"])), np.dtype(entry["dtype"])
                end = entry["offset"] + count * dtype.itemsize
                part = np.frombuffer(data[entry["offset"] : end], dtype)
                arrays[entry["name"]] = part.reshape(entry["shape"])
            section["arrays"] = [entry["name"] for entry in section["arrays"]]
        return cls(header["sections"], arrays)

    def copy(self) -> Parts:
        """Return parts that may be changed; arrays are replaced, never changed in place."""
        return Parts(copy.deepcopy(self.sections), dict(self.arrays))

    def laid_out(self) -> tuple[dict[str, Any], bytes]:
        """Return the header with places and checksums, and the bytes of the arrays."""
        data, sections = b"", []
        for section in self.sections:
            entries = []
            for name in section["arrays"]:
                array = np.ascontiguousarray(self.arrays[name])
                data += bytes(-len(data) % ALIGNMENT)
                entries.append(_entry(name, array, len(data)))
                data += array.tobytes()
            sections.append({**section, "arrays": entries})
        return {"sections": sections}, data


def _entry(name: str, array: NDArray[Any], offset: int) -> dict[str, Any]:
    return {
        "name": name,
        "dtype": array.dtype.str[1:],
        "shape": list(array.shape),
        "offset": offset,
        "checksum": f"{reference.checksum(array.tobytes()):016x}",
    }


def mutated_model(rng: Random, seeds: Mapping[str, Parts], files: Mapping[str, bytes]) -> bytes:
    """Return a file with one to three mutations."""
    name = pick(rng, list(seeds))
    if rng.random() < 0.06:
        return pick(rng, [flipped, cut, spliced, dropped])(rng, files[name])
    parts = seeds[name].copy()
    for _ in range(int(pick(rng, [1, 1, 1, 2, 3]))):
        kind = rng.random()
        if kind < 0.65:
            with_odd_numbers(rng, parts)
        elif kind < 0.85:
            with_odd_value(rng, pick(rng, parts.sections)["content"] or {"": 0})
        else:
            with_other_sections(rng, parts, seeds[pick(rng, list(seeds))])
    header, data = parts.laid_out()
    if rng.random() < 0.1:
        with_odd_value(rng, header)
    return assemble(json.dumps(header).encode(errors="surrogatepass"), data)


def with_odd_numbers(rng: Random, parts: Parts) -> None:
    """Change the content, the length or the dtype of one array."""
    name = pick(rng, [name for section in parts.sections for name in section["arrays"]] or [""])
    if not name:
        return
    parts.arrays[name] = odd_array(rng, parts.arrays[name])


def with_other_sections(rng: Random, parts: Parts, other: Parts) -> None:
    """Drop, double, move or exchange sections or arrays."""
    kind = int(rng.integers(7))
    at = int(rng.integers(len(parts.sections)))
    section = parts.sections[at]
    if kind == 0:
        del parts.sections[at]
    elif kind == 1:
        parts.sections.append(copy.deepcopy(section))
    elif kind == 2:
        parts.sections.insert(0, parts.sections.pop(at))
    elif kind == 3:
        section["required"] = not section["required"]
    elif kind == 4 and section["arrays"]:
        section["arrays"].pop(int(rng.integers(len(section["arrays"]))))
    elif kind == 5:
        _take_section(rng, parts, other)
    else:
        shared = [name for name in parts.arrays if name in other.arrays]
        if shared:
            name = pick(rng, shared)
            parts.arrays[name] = other.arrays[name]


def _take_section(rng: Random, parts: Parts, other: Parts) -> None:
    """Replace a section by that of the same name in another file, or add it."""
    taken = copy.deepcopy(pick(rng, other.sections))
    parts.sections = [found for found in parts.sections if found["name"] != taken["name"]]
    parts.sections.append(taken)
    for name in taken["arrays"]:
        parts.arrays[name] = other.arrays[name]
