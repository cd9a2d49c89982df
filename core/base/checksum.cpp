#include "base/checksum.hpp"

#include <algorithm>
#include <vector>

#include "base/parallel.hpp"
#include "base/xxh3.hpp"

namespace labeltree {

uint64_t checksum(std::span<const uint8_t> bytes, int n_threads, Interrupt& interrupt) {
  const std::size_t n_blocks = (bytes.size() + CHECKSUM_BLOCK - 1) / CHECKSUM_BLOCK;
  std::vector<uint8_t> hashes(n_blocks * sizeof(uint64_t));
  parallel_for(n_blocks, n_threads, interrupt, [&](std::size_t block, std::size_t) {
    const std::size_t begin = block * CHECKSUM_BLOCK;
    const uint64_t hash = xxh3_64(bytes.subspan(begin, std::min(CHECKSUM_BLOCK, bytes.size() - begin)));
    for (std::size_t i = 0; i < sizeof hash; ++i)
      hashes[block * sizeof hash + i] = static_cast<uint8_t>(hash >> (8 * i));
  });
  return xxh3_64(hashes);
}

}  // namespace labeltree
