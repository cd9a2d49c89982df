"""Checksums of arrays."""

import mmap
import os
import platform
import subprocess
import sys

import numpy as np
import pytest
import xxhash
from hypothesis import given, settings
from hypothesis import strategies as st

from labeltree import _core
from tests.reference import storage as reference

BLOCK = 2**20


def xxh3(data: bytes) -> int:
    return _core.xxh3_64(np.frombuffer(data, np.uint8))


def checksum(data: bytes, n_threads: int = 1) -> int:
    return _core.checksum(np.frombuffer(data, np.uint8), n_threads)


def test_xxh3_equals_the_published_hash_at_every_length_up_to_2000() -> None:
    data = np.random.default_rng(0).bytes(2000)
    lengths = range(len(data) + 1)
    assert [xxh3(data[:n]) for n in lengths] == [
        xxhash.xxh3_64_intdigest(data[:n]) for n in lengths
    ]


@pytest.mark.parametrize("size", [4096, 100_000, BLOCK - 1, BLOCK, 3 * BLOCK + 65])
def test_xxh3_of_long_inputs_equals_the_published_hash(size) -> None:
    data = np.random.default_rng(size).bytes(size)
    assert xxh3(data) == xxhash.xxh3_64_intdigest(data)


def test_xxh3_does_not_depend_on_where_the_bytes_lie() -> None:
    data = np.random.default_rng(0).bytes(1500)
    assert len({_core.xxh3_64(np.frombuffer(bytes(n) + data, np.uint8)[n:]) for n in range(9)}) == 1


@settings(deadline=None, max_examples=50)
@given(st.binary(max_size=300))
def test_checksum_equals_the_reference(data) -> None:
    assert checksum(data) == reference.checksum(data)


@pytest.mark.parametrize("size", [BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK + 65])
def test_checksum_of_several_blocks_equals_the_reference(size) -> None:
    data = np.random.default_rng(size).bytes(size)
    assert checksum(data, 2) == reference.checksum(data)


def test_checksum_is_the_same_for_any_number_of_threads() -> None:
    data = np.random.default_rng(0).bytes(5 * BLOCK + 13)
    assert len({checksum(data, n) for n in (1, 2, 3, 8)}) == 1


def test_checksum_finds_every_flipped_bit() -> None:
    data = np.random.default_rng(0).integers(0, 256, 200, np.uint8)
    whole = _core.checksum(data, 1)
    for place in range(len(data)):
        for bit in range(8):
            data[place] ^= 1 << bit
            assert _core.checksum(data, 1) != whole
            data[place] ^= 1 << bit


def test_checksum_finds_zeros_that_were_added() -> None:
    assert len({checksum(bytes(n)) for n in range(200)}) == 200


@pytest.mark.skipif(platform.machine() != "x86_64", reason="levels are those of x86-64")
def test_xxh3_is_the_same_at_the_lowest_level_of_instructions() -> None:
    data = np.random.default_rng(0).bytes(5000)
    lengths = [241, 255, 1024, 1025, 2048, 4999, 5000]
    code = (
        "import sys, numpy as np; from labeltree import _core; data = sys.stdin.buffer.read();"
        f"print(*(_core.xxh3_64(np.frombuffer(data[:n], np.uint8)) for n in {lengths}))"
    )
    environment = os.environ | {"LABELTREE_CPU": "v2"}
    run = [sys.executable, "-c", code]
    found = subprocess.run(run, input=data, env=environment, capture_output=True, check=True).stdout
    assert [int(n) for n in found.split()] == [xxhash.xxh3_64_intdigest(data[:n]) for n in lengths]


def map_of(path, data: bytes) -> np.ndarray:
    path.write_bytes(data)
    with path.open("rb") as file:
        return np.frombuffer(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ), np.uint8)


@pytest.fixture
def mapped(tmp_path) -> np.ndarray:
    return map_of(tmp_path / "bytes", np.random.default_rng(0).bytes(2 * BLOCK + 4097))


@pytest.mark.parametrize("first", [0, 64])
def test_checksum_of_a_map_is_that_of_its_bytes(mapped, first) -> None:
    assert _core.checksums_of_map([mapped[first:]], 2) == [checksum(mapped[first:].tobytes())]


def test_checksums_of_a_map_are_those_of_each_array(mapped) -> None:
    arrays = [mapped[BLOCK + 64 :], mapped[:0], mapped[:BLOCK], mapped[64:65]]
    found = _core.checksums_of_map(arrays, 2)
    assert found == [checksum(array.tobytes()) for array in arrays]


def test_a_map_keeps_its_bytes_when_its_pages_are_released(tmp_path) -> None:
    data = np.random.default_rng(0).bytes(BLOCK) * 66 + b"end"  # 64 are released
    mapped = map_of(tmp_path / "bytes", data)
    assert _core.checksums_of_map([mapped], 2) == [checksum(data)]
    assert mapped.tobytes() == data
