"""The model file."""

from __future__ import annotations


def checksum(data: bytes) -> int:
    """The checksum of docs/model-file.md, one word after the other."""
    n_bits, block_size = 64, 2**18

    def step(state: int, word: int) -> int:
        product = (state ^ word) * 0x9E3779B97F4A7C15 % 2**n_bits
        return (product << 31 | product >> (n_bits - 31)) % 2**n_bits

    def block_value(block: bytes) -> int:
        lanes = list(range(8))
        padded = block + bytes(-len(block) % 64)
        for place in range(0, len(padded), 8):
            lane = place // 8 % 8
            word = int.from_bytes(padded[place : place + 8], "little")
            lanes[lane] = step(lanes[lane], word)
        value = len(block)
        for lane_value in lanes:
            value = step(value, lane_value)
        return value

    total = len(data)
    for first in range(0, len(data), block_size):
        total = step(total, block_value(data[first : first + block_size]))
    return step(step(total, 0), 0)
