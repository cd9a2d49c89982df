"""The model file."""

from __future__ import annotations

import xxhash


def checksum(data: bytes) -> int:
    """The checksum of docs/model-file.md: the hash of the hashes of blocks."""
    size = 2**20
    blocks = [data[first : first + size] for first in range(0, len(data), size)]
    hashes = [xxhash.xxh3_64_intdigest(block).to_bytes(8, "little") for block in blocks]
    return xxhash.xxh3_64_intdigest(b"".join(hashes))
