#include "base/order.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>

namespace labeltree {
namespace {

constexpr unsigned digit_bits = 11;
constexpr std::size_t n_digits = std::size_t{1} << digit_bits;

std::size_t digit(int64_t count, unsigned shift) {
  return static_cast<std::size_t>(static_cast<uint64_t>(count) >> shift) & (n_digits - 1);
}

}  // namespace

std::vector<int32_t> ascending(std::span<const int64_t> counts) {
  std::vector<int32_t> order(counts.size()), next(counts.size());
  std::iota(order.begin(), order.end(), 0);
  const uint64_t largest = counts.empty() ? 0 : static_cast<uint64_t>(std::ranges::max(counts));
  for (unsigned shift = 0; shift < 64 && largest >> shift != 0; shift += digit_bits) {
    std::array<std::size_t, n_digits + 1> first{};
    for (const int64_t count : counts) ++first[digit(count, shift) + 1];
    std::partial_sum(first.begin(), first.end(), first.begin());
    for (const int32_t j : order) next[first[digit(counts[static_cast<std::size_t>(j)], shift)]++] = j;
    order.swap(next);
  }
  return order;
}

}  // namespace labeltree
