"""Files of any content, in every format that is read: refused with a sentence, or read."""

from __future__ import annotations

import gzip
import io
import os
import zipfile
from collections.abc import Callable, Iterable
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

import labeltree as lt
from labeltree import LabelTree
from labeltree.data import (
    read_csv,
    read_fasttext,
    read_folder,
    read_jsonl,
    read_npz,
    read_npz_labels,
    read_parquet,
    read_tsv,
    read_xmc,
)
from labeltree.trees import Hierarchy, from_napkinxc, from_omikuji, from_pecos
from tests.fuzz.byte_mutations import Random, mutated, pick
from tests.fuzz.odd_arrays import odd_array
from tests.fuzz.seed_files import ANY_TOKENS, Form, all_forms
from tests.fuzz.verdicts import OddResultError, judged
from tests.fuzz.worker import ANSWERED, REFUSED

_PACKED = ("jsonl", "csv", "tsv", "fasttext", "xmc", "xmc_plain", "npz", "newick", "dot", "turtle")
_MOST_ROWS = 10**5


class UnnamedFileError(AssertionError):
    """Raised for an error about a file that does not begin with its name."""


class ReaderFuzzer:
    """Reads mutated files of one format after the other."""

    def __init__(self) -> None:
        self.forms = all_forms()

    def run(self, rng: Random, folder: Path) -> str:
        """Write the files of a format, one of them mutated, and read them."""
        form = pick(rng, self.forms)
        path = write_mutated(rng, form, folder)
        if "FUZZ_VERBOSE" in os.environ:
            print(form.name, path.read_bytes()[:400] if path.is_file() else sorted(path.rglob("*")))
        try:
            READERS[form.name](path)
        except Exception as error:
            if judged(error, named=str(folder)) is not None:
                raise
            if not str(error).startswith(str(folder)):
                raise UnnamedFileError(str(error)) from error
            return REFUSED
        return ANSWERED


def write_mutated(rng: Random, form: Form, folder: Path) -> Path:
    """Return the path of the file, or of the folder if there are several."""
    files = dict(pick(rng, form.seeds))
    name = pick(rng, list(files))
    files[name] = _mutated_file(rng, files[name], [*form.tokens, *ANY_TOKENS, *form.tokens])
    suffix = pick(rng, ["", "", "", ".gz", ".zst"]) if form.name in _PACKED else ""
    for path, content in files.items():
        target = folder / (path + suffix)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(_packed(rng, content, suffix))
    return folder if len(files) > 1 or "/" in name else folder / (name + suffix)


def _mutated_file(rng: Random, content: bytes, tokens: list[bytes]) -> bytes:
    if content.startswith(b"PK") and rng.random() < 0.8:
        return _mutated_npz(rng, content)
    return mutated(rng, content, tokens)


def _mutated_npz(rng: Random, content: bytes) -> bytes:
    """Return a correct zip file of odd arrays."""
    with np.load(io.BytesIO(content)) as found:
        arrays = {name: found[name] for name in found.files}
    name = pick(rng, list(arrays))
    if arrays[name].dtype.kind in "iuf":
        arrays[name] = odd_array(rng, np.atleast_1d(arrays[name]))
    elif rng.random() < 0.5:
        arrays[name] = np.array(pick(rng, [b"coo", b"dia", b"bsr", b"csc", b"odd", 1, 1.5, b""]))
    if rng.random() < 0.1:
        arrays.pop(pick(rng, list(arrays)))
    stream = io.BytesIO()
    kind = zipfile.ZIP_DEFLATED if rng.random() < 0.5 else zipfile.ZIP_STORED
    with zipfile.ZipFile(stream, "w", kind) as target:
        for name, array in arrays.items():
            part = io.BytesIO()
            np.save(part, array, allow_pickle=False)
            target.writestr(f"{name}.npy", _odd_npy(rng, part.getvalue()))
    return stream.getvalue()


def _odd_npy(rng: Random, content: bytes) -> bytes:
    """Sometimes replace the shape or the dtype that an array claims to have."""
    if rng.random() < 0.9:
        return content
    shape = pick(rng, [b"(9999999999,)", b"(-1,)", b"(2, 2)", b"(99999,)", b"((1,),)", b"(1e9,)"])
    start, _, rest = content.partition(b"'shape': (")
    return (start + b"'shape': " + shape + rest.partition(b")")[2]) if rest else content


def _packed(rng: Random, content: bytes, suffix: str) -> bytes:
    if suffix == ".gz":
        content = gzip.compress(content, 1)
    elif suffix == ".zst":
        import zstandard

        content = zstandard.ZstdCompressor().compress(content)
    return mutated(rng, content, ANY_TOKENS) if suffix and rng.random() < 0.2 else content


def _rows(read: Callable[[Path], Iterable[Any]]) -> Callable[[Path], None]:
    def use(path: Path) -> None:
        for text, tags in islice(read(path), _MOST_ROWS):
            if not isinstance(text, str) or not all(isinstance(tag, str) for tag in tags):
                raise OddResultError("rows must have text and tags")

    return use


def _tree(read: Callable[[Path], LabelTree]) -> Callable[[Path], None]:
    """Read a tree and use it: what it writes must be what is read again."""

    def use(path: Path) -> None:
        tree = read(path)
        if LabelTree.from_json(tree.to_json()) != tree:
            raise OddResultError("a tree must be the same after it was written and read")
        tree.to_nested()
        lt.cost.leaf_costs(tree)

    return use


def _hierarchy(path: Path) -> None:
    hierarchy = Hierarchy.load(path)
    concepts = list(hierarchy.concepts)[:9] if hasattr(hierarchy, "concepts") else []
    for concept in concepts:
        hierarchy.ancestors(concept)
    with suppress(ValueError):  # of the call, not of the file: two concepts may have the name
        hierarchy.find("dog")


def _paths(path: Path) -> None:
    Hierarchy.load(path, separator="/")


def _xmc(path: Path) -> None:
    X, rows = read_xmc(path)
    if not np.isfinite(X.data).all():
        raise OddResultError("features must be finite")
    rows.counts.sum()


def _xmc_plain(path: Path) -> None:
    read_xmc(path, header=False)


def _turtle_or_table(path: Path) -> None:
    _hierarchy(path)
    if path.suffix == ".tsv":
        _paths(path)


#: What reads the files of a format and uses what they hold.
READERS: dict[str, Callable[[Path], Any]] = {
    "jsonl": _rows(read_jsonl),
    "csv": _rows(read_csv),
    "tsv": _rows(read_tsv),
    "fasttext": _rows(read_fasttext),
    "folder": _rows(read_folder),
    "parquet": _rows(read_parquet),
    "xmc": _xmc,
    "xmc_plain": _xmc_plain,
    "npz": read_npz,
    "npz_labels": read_npz_labels,
    "tree_json": _tree(LabelTree.load),
    "newick": _tree(LabelTree.load),
    "dot": _tree(LabelTree.load),
    "omikuji": _tree(from_omikuji),
    "napkinxc": _tree(from_napkinxc),
    "pecos": _tree(from_pecos),
    "hierarchy": _turtle_or_table,
    "turtle": _hierarchy,
    "rdf": _hierarchy,
    "jsonld": _hierarchy,
    "triples": _hierarchy,
}
