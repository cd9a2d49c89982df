"""Compress wheels again, as small as deflate allows; `make wheel` calls it.

    python release/recompress.py dist/*.whl

Names, contents, order and times of the files stay. zopfli looks longer than zlib for the same
format.
"""

from __future__ import annotations

import struct
import sys
import zipfile
from pathlib import Path

from zopfli import zopfli

FRAME = slice(2, -4)  # header and checksum of zlib, which a zip file has no place for
LOCAL, CENTRAL, END = "<4s5H3I2H", "<4s6H3I5H2I", "<4s4H2IH"
UTF8 = 1 << 11
UNIX = 3 << 8


def recompressed(path: Path) -> bytes:
    """Return a wheel with the same files, but without entries for folders."""
    body, table, n_files = bytearray(), bytearray(), 0
    with zipfile.ZipFile(path) as wheel:
        for info in wheel.infolist():
            if info.is_dir():
                continue
            content = wheel.read(info)
            packed = zopfli.compress(content, blocksplittingmax=0)[FRAME]
            at, n_files = len(body), n_files + 1
            fields = _fields(info, len(packed))
            name = info.filename.encode()
            body += struct.pack(LOCAL, b"PK\x03\x04", 20, *fields, len(name), 0) + name + packed
            fields = (UNIX | 20, 20, *fields, len(name), 0, 0, 0, 0, info.external_attr, at)
            table += struct.pack(CENTRAL, b"PK\x01\x02", *fields) + name
    end = struct.pack(END, b"PK\x05\x06", 0, 0, n_files, n_files, len(table), len(body), 0)
    return bytes(body + table + end)


def _fields(info: zipfile.ZipInfo, size: int) -> tuple[int, ...]:
    """Return what both headers of a file have: flags, method, time, date, checksum and sizes."""
    year, month, day, hour, minute, second = info.date_time
    time = hour << 11 | minute << 5 | second // 2
    date = (year - 1980) << 9 | month << 5 | day
    return UTF8, zipfile.ZIP_DEFLATED, time, date, info.CRC, size, info.file_size


def main(names: list[str]) -> None:
    """Replace each wheel by a smaller one with the same contents."""
    for path in map(Path, names):
        before, smaller = path.stat().st_size, recompressed(path)
        path.write_bytes(smaller)
        with zipfile.ZipFile(path) as wheel:
            assert wheel.testzip() is None
        print(f"{path.name}: {before:,} bytes, now {len(smaller):,}")


if __name__ == "__main__":
    main(sys.argv[1:])
