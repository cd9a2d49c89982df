// A checksum that finds accidents: flipped bits, lost and moved pieces. It is no guard against intent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/interrupt.hpp"

namespace labeltree {

// Bytes that one thread takes at a time. The value depends on it, so it never changes.
inline constexpr std::size_t CHECKSUM_BLOCK = std::size_t{1} << 20;

// XXH3-64 in two levels, so that threads can share the work: the hash of the hashes of consecutive blocks,
// each written as eight bytes, least significant first. The last block may be shorter; no bytes have no
// block. The same for every number of threads.
uint64_t checksum(std::span<const uint8_t> bytes, int n_threads, Interrupt& interrupt);
// The same for arrays of a file that is mapped read-only. Pages are released on the way, except for those of
// the last 64 blocks at most: put what is read next last.
std::vector<uint64_t> checksums_of_map(std::span<const std::span<const uint8_t>> arrays, int n_threads,
                                       Interrupt& interrupt);
// The same for one array, all pages of which are released.
uint64_t checksum_of_map(std::span<const uint8_t> bytes, int n_threads, Interrupt& interrupt);

}  // namespace labeltree
