// Pairs of features that occur together, as additional features of a row.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/index.hpp"
#include "base/interrupt.hpp"
#include "data/sparse.hpp"

namespace labeltree {

// Feature a forms pairs begin[a] .. begin[a + 1] - 1 with partners, which are larger and ascend. Pair p is
// feature n_features() + p of a row that has both.
struct FeaturePairs {
  std::span<const int32_t> begin;      // [feature + 1], or empty if there are no pairs
  std::span<const int32_t> partners;   // [pair]
  float factor = 0.0f;                 // of the geometric mean of the two values
  std::span<const uint64_t> filter{};  // as pair_filter returns it, for who looks for pairs

  bool empty() const { return begin.empty(); }
  std::size_t n_features() const { return begin.size() - 1; }
  std::span<const int32_t> of(int32_t feature) const {
    const auto first = at(begin[at(feature)]);
    return partners.subspan(first, at(begin[at(feature) + 1]) - first);
  }
  // Whether the filter has the bit of two features. Most that are no pair have none, so few are looked up.
  bool may_have(int32_t a, int32_t b) const {
    const uint64_t place = hash(a, b) & (64 * filter.size() - 1);
    return filter[place / 64] >> (place % 64) & 1;
  }
  static uint64_t hash(int32_t a, int32_t b) {
    const uint64_t both = static_cast<uint64_t>(a) << 32 | static_cast<uint32_t>(b);
    return (both * 0x9E3779B97F4A7C15u) >> 29;
  }
  // The value of a pair, whose sign is that of the product. No product of two floats overflows, and a value
  // that does is the largest.
  float value(float x, float y) const {
    constexpr double most = std::numeric_limits<float>::max();
    const double product = static_cast<double>(x) * static_cast<double>(y);
    const double mean = std::min(most, static_cast<double>(factor) * std::sqrt(std::abs(product)));
    return static_cast<float>(product < 0 ? -mean : mean);
  }
};

// Throws std::invalid_argument unless `begin` and `partners` are as described.
void check(const FeaturePairs& pairs);

// A filter for pairs: bits of a power of two of places, at least 16 for each pair.
std::vector<uint64_t> pair_filter(const FeaturePairs& pairs);

// The place of x in ascending numbers, or -1. Without branches, because where it is cannot be predicted.
inline std::ptrdiff_t place_in(std::span<const int32_t> numbers, int32_t x) {
  if (numbers.empty()) return -1;
  const int32_t* first = numbers.data();
  for (std::size_t n = numbers.size(); n > 1;) {
    const std::size_t half = n / 2;
    first += first[half] <= x ? half : 0;
    n -= half;
  }
  return *first == x ? first - numbers.data() : -1;
}

// Calls found(i, j, pair) for each pair of features[i] and features[j], pairs ascending. Features ascend. A
// row of n features takes at most about the smaller of n * n and the number of pairs.
template <class Found>
void for_each_pair(const FeaturePairs& pairs, std::span<const int32_t> features, Found found) {
  constexpr std::size_t SEARCHED = 4;  // partners that take as long to look for as others to compare
  constexpr std::size_t CHUNK = 64;    // features whose filters are read before any is looked up
  std::size_t likely[CHUNK];
  for (std::size_t i = 0; i + 1 < features.size(); ++i) {
    const int32_t feature = features[i];
    const std::span<const int32_t> partners = pairs.of(feature), later = features.subspan(i + 1);
    const auto first = at(pairs.begin[at(feature)]);
    if (SEARCHED * partners.size() < later.size()) {
      for (std::size_t p = 0; p < partners.size(); ++p)
        if (const auto j = place_in(later, partners[p]); j >= 0) found(i, i + 1 + at(j), first + p);
      continue;
    }
    for (std::size_t begin = 0; begin < later.size(); begin += CHUNK) {
      std::size_t n_likely = 0;
      for (std::size_t j = begin; j < std::min(later.size(), begin + CHUNK); ++j) {
        likely[n_likely] = j;
        n_likely += pairs.may_have(feature, later[j]);
      }
      for (const std::size_t j : std::span(likely, n_likely))
        if (const auto p = place_in(partners, later[j]); p >= 0) found(i, i + 1 + j, first + at(p));
    }
  }
}

// Rows with their pairs. Features of a row need not ascend.
struct PairedRows {
  void clear();
  void add(const FeaturePairs& pairs, std::span<const int32_t> features, std::span<const float> values);

  std::vector<int64_t> begin{0};
  std::vector<int32_t> indices;
  std::vector<float> values;
};

// [row + 1] where rows with their pairs begin. Features of a row must ascend.
std::vector<int64_t> begin_with_pairs(const FeaturePairs& pairs, const FeatureRows& rows, int n_threads,
                                      Interrupt& interrupt);

// All rows with their pairs, into arrays that are as large as `begin` says.
void write_with_pairs(const FeaturePairs& pairs, const FeatureRows& rows, std::span<const int64_t> begin,
                      std::span<int32_t> indices, std::span<float> values, int n_threads,
                      Interrupt& interrupt);

}  // namespace labeltree
