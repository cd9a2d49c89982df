"""Checksums of arrays."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labeltree import _core
from tests.reference import storage as reference

BLOCK = 2**18


def checksum(data: bytes, n_threads: int = 1) -> int:
    return _core.checksum(np.frombuffer(data, np.uint8), n_threads)


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


def test_checksum_finds_two_flips_of_the_highest_bit_in_one_lane() -> None:
    data = np.zeros(128, np.uint8)
    whole = _core.checksum(data, 1)
    data[[7, 71]] ^= 0x80
    assert _core.checksum(data, 1) != whole


def test_checksum_finds_zeros_that_were_added() -> None:
    assert len({checksum(bytes(n)) for n in range(200)}) == 200
