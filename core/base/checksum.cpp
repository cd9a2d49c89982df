#include "base/checksum.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <vector>

#include "base/parallel.hpp"

namespace labeltree {
namespace {

constexpr std::size_t n_lanes = 8;
constexpr std::size_t stripe = n_lanes * sizeof(uint64_t);

// The rotation brings high bits down, where the next product spreads them again.
uint64_t step(uint64_t state, uint64_t word) {
  return std::rotl((state ^ word) * 0x9E3779B97F4A7C15u, 31);
}

uint64_t little_endian(const uint8_t* bytes) {
  uint64_t word = 0;
  if constexpr (std::endian::native == std::endian::little)
    std::memcpy(&word, bytes, sizeof word);
  else
    for (std::size_t i = 0; i < sizeof word; ++i) word |= uint64_t{bytes[i]} << (8 * i);
  return word;
}

uint64_t block_value(std::span<const uint8_t> bytes) {
  // Lanes that do not wait for each other keep the multiplier busy.
  std::array<uint64_t, n_lanes> lanes;
  for (std::size_t lane = 0; lane < n_lanes; ++lane) lanes[lane] = lane;
  const auto take = [&](const uint8_t* from) {
    for (std::size_t lane = 0; lane < n_lanes; ++lane)
      lanes[lane] = step(lanes[lane], little_endian(from + lane * sizeof(uint64_t)));
  };
  const std::size_t whole = bytes.size() / stripe * stripe;
  for (std::size_t i = 0; i < whole; i += stripe) take(bytes.data() + i);
  if (whole < bytes.size()) {
    std::array<uint8_t, stripe> rest{};
    std::ranges::copy(bytes.subspan(whole), rest.begin());
    take(rest.data());
  }
  uint64_t value = bytes.size();
  for (const uint64_t lane : lanes) value = step(value, lane);
  return value;
}

}  // namespace

uint64_t checksum(std::span<const uint8_t> bytes, int n_threads, Interrupt& interrupt) {
  const std::size_t n_blocks = (bytes.size() + checksum_block - 1) / checksum_block;
  std::vector<uint64_t> values(n_blocks);
  parallel_for(n_blocks, n_threads, interrupt, [&](std::size_t block, std::size_t) {
    const std::size_t begin = block * checksum_block;
    values[block] = block_value(bytes.subspan(begin, std::min(checksum_block, bytes.size() - begin)));
  });
  uint64_t sum = bytes.size();
  for (const uint64_t value : values) sum = step(sum, value);
  sum = step(sum, 0);  // twice, so that the last block too reaches all bits
  return step(sum, 0);
}

}  // namespace labeltree
