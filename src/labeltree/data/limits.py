"""Limits on what a file may ask for, so that a small file cannot take much memory.

Files that are not compressed are otherwise bounded by their own size.
"""

from __future__ import annotations

from labeltree import _core

#: Bytes of a line after decompression, of a row of CSV, and of a text in a folder.
MAX_LINE: int = _core.MAX_LINE
#: Bytes that a compressed file or an npz file may unpack to, if it is read whole ...
MAX_UNPACKED = 256 << 20
#: ... or this number of times its own size, if that is more.
MAX_RATIO = 100
#: Features or labels that a data file may have without any entries ...
MAX_EMPTY = 1 << 24
#: ... or this number of times its number of entries, if that is more.
MAX_SPARSITY = 100
#: Rows of a matrix in an npz file, if the file has fewer bytes.
MAX_EMPTY_ROWS = 1_000_000
#: Labels that the tree of another system may leave out, if it has fewer labels.
MAX_MISSING_LABELS = 1_000_000
#: Characters of an entity of RDF/XML, such as the abbreviation of a namespace.
MAX_ENTITY = 256
#: Characters of an address in RDF: names that begin with a prefix repeat it in memory.
MAX_ADDRESS = 1024
#: Elements of RDF/XML in each other.
MAX_ELEMENTS = 1000


def max_unpacked(n_bytes: int) -> int:
    """Return the number of bytes that a compressed file of `n_bytes` may unpack to."""
    return max(MAX_UNPACKED, MAX_RATIO * n_bytes)


def check_size(name: str, what: str, size: int, n_entries: int) -> None:
    """Refuse numbers of features or labels that a file states without entries for them.

    Examples
    --------
    >>> check_size("rows.txt", "labels", 2_000_000_000, 3)
    Traceback (most recent call last):
    ...
    ValueError: rows.txt: a file with 3 entries may have at most 16777216 labels, but has 2000000000
    """
    limit = max(MAX_EMPTY, MAX_SPARSITY * n_entries)
    if size > limit:
        raise ValueError(
            f"{name}: a file with {n_entries} entries may have at most {limit} {what}, but has "
            f"{size}"
        )
