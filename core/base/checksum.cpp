#include "base/checksum.hpp"

#include <algorithm>

#include "base/pages.hpp"
#include "base/parallel.hpp"
#include "base/xxh3.hpp"

namespace labeltree {
namespace {

using Bytes = std::span<const uint8_t>;

// Blocks whose pages are released together. Each release of a part of a large page costs the whole page, so
// that blocks released one by one would be mapped twice.
constexpr std::size_t WINDOW = 64;
constexpr std::size_t BLOCKS_PER_THREAD = 8;  // fewer take less time than starting a thread

std::size_t n_blocks(Bytes bytes) {
  return (bytes.size() + CHECKSUM_BLOCK - 1) / CHECKSUM_BLOCK;
}

std::vector<Bytes> blocks_of(std::span<const Bytes> arrays) {
  std::vector<Bytes> blocks;
  for (const Bytes bytes : arrays)
    for (std::size_t begin = 0; begin < bytes.size(); begin += CHECKSUM_BLOCK)
      blocks.push_back(bytes.subspan(begin, std::min(CHECKSUM_BLOCK, bytes.size() - begin)));
  return blocks;
}

void hash_blocks(std::span<const Bytes> blocks, uint64_t* hashes, int n_threads, Interrupt& interrupt) {
  const auto useful = static_cast<int>(std::min<std::size_t>(blocks.size() / BLOCKS_PER_THREAD, 1024));
  parallel_for(blocks.size(), std::min(n_threads, useful), interrupt,
               [&](std::size_t number, std::size_t) { hashes[number] = xxh3_64(blocks[number]); });
}

uint64_t combined(std::span<const uint64_t> hashes) {
  std::vector<uint8_t> bytes;
  bytes.reserve(hashes.size() * sizeof(uint64_t));
  for (const uint64_t hash : hashes)
    for (std::size_t i = 0; i < sizeof hash; ++i) bytes.push_back(static_cast<uint8_t>(hash >> (8 * i)));
  return xxh3_64(bytes);
}

}  // namespace

uint64_t checksum(Bytes bytes, int n_threads, Interrupt& interrupt) {
  const std::vector<Bytes> blocks = blocks_of({&bytes, 1});
  std::vector<uint64_t> hashes(blocks.size());
  hash_blocks(blocks, hashes.data(), n_threads, interrupt);
  return combined(hashes);
}

std::vector<uint64_t> checksums_of_map(std::span<const Bytes> arrays, int n_threads, Interrupt& interrupt) {
  const std::vector<Bytes> blocks = blocks_of(arrays);
  std::vector<uint64_t> hashes(blocks.size()), checksums;
  for (std::size_t begin = 0; begin < blocks.size(); begin += WINDOW) {
    const auto window = std::span(blocks).subspan(begin, std::min(WINDOW, blocks.size() - begin));
    hash_blocks(window, hashes.data() + begin, n_threads, interrupt);
    if (begin + WINDOW < blocks.size()) std::ranges::for_each(window, release_pages);
  }
  std::size_t first = 0;
  for (const Bytes bytes : arrays) {
    checksums.push_back(combined(std::span(hashes).subspan(first, n_blocks(bytes))));
    first += n_blocks(bytes);
  }
  return checksums;
}

uint64_t checksum_of_map(Bytes bytes, int n_threads, Interrupt& interrupt) {
  const uint64_t found = checksums_of_map({&bytes, 1}, n_threads, interrupt).front();
  release_pages(bytes);
  return found;
}

}  // namespace labeltree
