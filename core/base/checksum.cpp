#include "base/checksum.hpp"

#include <algorithm>
#include <vector>

#include "base/pages.hpp"
#include "base/parallel.hpp"
#include "base/xxh3.hpp"

namespace labeltree {
namespace {

template <class AfterBlock>
uint64_t hash_blocks(std::span<const uint8_t> bytes, int n_threads, Interrupt& interrupt,
                     AfterBlock after_block) {
  const std::size_t n_blocks = (bytes.size() + CHECKSUM_BLOCK - 1) / CHECKSUM_BLOCK;
  std::vector<uint8_t> hashes(n_blocks * sizeof(uint64_t));
  parallel_for(n_blocks, n_threads, interrupt, [&](std::size_t number, std::size_t) {
    const std::size_t begin = number * CHECKSUM_BLOCK;
    const auto block = bytes.subspan(begin, std::min(CHECKSUM_BLOCK, bytes.size() - begin));
    const uint64_t hash = xxh3_64(block);
    for (std::size_t i = 0; i < sizeof hash; ++i)
      hashes[number * sizeof hash + i] = static_cast<uint8_t>(hash >> (8 * i));
    after_block(block);
  });
  return xxh3_64(hashes);
}

}  // namespace

uint64_t checksum(std::span<const uint8_t> bytes, int n_threads, Interrupt& interrupt) {
  return hash_blocks(bytes, n_threads, interrupt, [](std::span<const uint8_t>) {});
}

uint64_t checksum_of_map(std::span<const uint8_t> bytes, int n_threads, Interrupt& interrupt) {
  return hash_blocks(bytes, n_threads, interrupt, release_pages);
}

}  // namespace labeltree
