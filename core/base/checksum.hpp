// A 64-bit checksum that finds accidents: flipped bits, lost and moved pieces. It is no guard against intent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/interrupt.hpp"

namespace labeltree {

// Bytes that one thread takes at a time. The value depends on it, so it never changes.
inline constexpr std::size_t checksum_block = std::size_t{1} << 18;

// The same for every number of threads and on every machine. docs/model-file.md states it in full. Every step
// is a bijection of the word it takes in, so a change within eight aligned bytes is always found.
uint64_t checksum(std::span<const uint8_t> bytes, int n_threads, Interrupt& interrupt);

}  // namespace labeltree
