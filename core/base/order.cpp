#include "base/order.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>

namespace labeltree {
namespace {

constexpr unsigned digit_bits = 11;
constexpr std::size_t n_digits = std::size_t{1} << digit_bits;
constexpr std::size_t few = 64;  // numbers that are sorted faster by comparing them

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

void sort_below(std::vector<int32_t>& numbers, std::size_t limit) {
  if (numbers.size() < few) {
    std::ranges::sort(numbers);
    return;
  }
  std::vector<int32_t> sorted(numbers.size());
  for (unsigned shift = 0; (limit - 1) >> shift != 0; shift += 8) {
    const auto byte = [&](int32_t number) { return static_cast<uint32_t>(number) >> shift & 255u; };
    std::array<uint32_t, 257> first{};
    for (const int32_t number : numbers) ++first[byte(number) + 1];
    std::partial_sum(first.begin(), first.end(), first.begin());
    for (const int32_t number : numbers) sorted[first[byte(number)]++] = number;
    numbers.swap(sorted);
  }
}

}  // namespace labeltree
