"""Hostile files that are too large or too special to be stored: they are written for each run."""

from __future__ import annotations

import gzip
import io
import os
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import zstandard

DEEP = 100_000
MEBI = 1 << 20
BOMB = 300  # mebibytes, above the limit on unpacked bytes
LONG = 48  # mebibytes, above the limit on a line

RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
ELEMENTS = b'<r:Description xmlns:r="%s"><r:value r:parseType="Literal">' % RDF.encode()


def nested(opening: bytes, middle: bytes, closing: bytes) -> bytes:
    """Return brackets in brackets."""
    return opening * DEEP + middle + closing * DEEP


def gzip_bomb(start: bytes, repeated: bytes, mebibytes: int = LONG) -> bytes:
    """Return a few hundred kilobytes that unpack to many mebibytes."""
    packed = io.BytesIO()
    piece = repeated * (MEBI // len(repeated))
    with gzip.GzipFile("", "wb", fileobj=packed, mtime=0) as stream:
        stream.write(start)
        for _ in range(mebibytes):
            stream.write(piece)
    return packed.getvalue()


def zstd_bomb(start: bytes, repeated: bytes) -> bytes:
    """Return a few dozen kilobytes that unpack to many mebibytes."""
    compressor = zstandard.ZstdCompressor(write_content_size=False).compressobj()
    piece = repeated * (MEBI // len(repeated))
    parts = [compressor.compress(start), *(compressor.compress(piece) for _ in range(BOMB))]
    return b"".join([*parts, compressor.flush()])


def npz_bomb() -> bytes:
    """Return a matrix whose values are 300 MiB of zeros."""
    content = io.BytesIO()
    arrays = {
        "format": np.array(b"csr"),
        "shape": np.array([1, 3]),
        "indptr": np.array([0, 0], np.int32),
        "indices": np.zeros(0, np.int32),
        "data": np.zeros(BOMB * MEBI // 4, np.float32),
    }
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, array)
    return content.getvalue()


def many_lists() -> bytes:
    """Return a line below the limit whose content takes much more memory than its text."""
    return b'{"text": "a", "tags": [' + b"[]," * (5 * MEBI) + b"[]]}"


#: What each file holds.
FILES: dict[str, Callable[[], bytes]] = {
    "jsonld-nested-100000-deep.jsonld": lambda: nested(b'{"http://e/a":', b"1", b"}"),
    "rdf-nested-100000-deep.rdf": lambda: ELEMENTS + nested(b"<a>", b"", b"</a>"),
    "ttl-nested-100000-deep.ttl": lambda: b"<a> <b> " + nested(b"[ <b> ", b"1", b"]") + b" .",
    "ttl-lists-nested-100000-deep.ttl": lambda: b"<a> <b> " + nested(b"( ", b"1", b") ") + b".",
    "n3-formulas-nested-100000-deep.n3": lambda: nested(b"{ ", b"<a> <b> <c>", b"} ") + b"<b> <c>.",
    "ttl-bomb.ttl.gz": lambda: gzip_bomb(b"", b"# tea\n", BOMB),
    "table-line-without-end.tsv.gz": lambda: gzip_bomb(b"dog\t", b"a"),
    "tree-nested-100000-deep.json": lambda: nested(b"[", b"", b"]"),
    "tree-bomb.json.gz": lambda: gzip_bomb(b"[", b"[],", BOMB),
    "newick-bomb.nwk.zst": lambda: zstd_bomb(b"", b"(a,"),
    "newick-200000-names-one-twice.nwk": lambda: (
        b"(" + b",".join(b"a%d" % i for i in [*range(200_000), 199_999]) + b");"
    ),
    "newick-long-name.nwk": lambda: b"('" + b"a''" * (4 * MEBI),
    "dot-long-name.dot": lambda: b'digraph { "' + b'a\\"' * (4 * MEBI),
    "pecos-config-nested-100000-deep/config.json": lambda: nested(b"[", b"", b"]"),
    "npz-bomb.npz": npz_bomb,
    "jsonl-line-without-end.jsonl.gz": lambda: gzip_bomb(b'{"text": "', b"a"),
    "jsonl-line-without-end.jsonl.zst": lambda: zstd_bomb(b'{"text": "', b"a"),
    "jsonl-nested-100000-deep.jsonl": lambda: b'{"text": ' + nested(b"[", b"", b"]") + b"}",
    "jsonl-millions-of-lists.jsonl": many_lists,
    "tsv-line-without-end.tsv.gz": lambda: gzip_bomb(b"a\t", b"b,"),
    "csv-line-without-end.csv.gz": lambda: gzip_bomb(b"text,tags\n", b"a,"),
    "csv-first-line-without-end.csv.gz": lambda: gzip_bomb(b"text,", b"a,"),
    "csv-field-without-end.csv.gz": lambda: gzip_bomb(b'text,tags\n"', b"a" * 999 + b"\n"),
    "csv-row-without-end.csv.gz": lambda: gzip_bomb(b"text,tags\n", b'"%s\n",' % (b"a" * 99)),
    "fasttext-line-without-end.ft.gz": lambda: gzip_bomb(b"__label__a ", b"tea "),
    "xmc-line-without-end.xmc.gz": lambda: gzip_bomb(b"1 5 5\n", b"1:1 "),
    "xmc-header-without-end.xmc.gz": lambda: gzip_bomb(b"1", b"1"),
    "folder-text-without-end/a.txt": lambda: b"",
}

#: Folders that hold no usual files, or folders in folders.
FOLDERS = (
    "folder-name-not-utf-8",
    "folder-of-a-device",
    "folder-of-a-pipe",
    "folder-nested-1200-deep",
)


def write_all(folder: Path) -> list[Path]:
    """Write the files into a folder and return their paths."""
    for name, content in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content())
    os.truncate(folder / "folder-text-without-end/a.txt", 1 << 36)  # takes no room on the disk
    special_folders(folder)
    return sorted(folder.iterdir())


def special_folders(folder: Path) -> None:
    """Write the folders, the last of which has names too long to open by path."""
    for name in FOLDERS:
        (folder / name).mkdir()
    Path(os.fsdecode(bytes(folder / "folder-name-not-utf-8") + b"/\xff.txt")).write_text("tea")
    (folder / "folder-of-a-device/a.txt").symlink_to("/dev/zero")
    os.mkfifo(folder / "folder-of-a-pipe/a.txt")
    before = Path.cwd()
    os.chdir(folder / "folder-nested-1200-deep")
    try:
        for _ in range(1200):
            Path("d").mkdir()
            os.chdir("d")
        Path("a.txt").write_bytes(b"\xff")
    finally:
        os.chdir(before)
