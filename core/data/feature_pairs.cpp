#include "data/feature_pairs.hpp"

#include <bit>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>

#include "base/parallel.hpp"

namespace labeltree {
namespace {

constexpr std::size_t BLOCK = 1024;  // rows a thread takes at a time

void check_partners(const FeaturePairs& pairs, int32_t feature) {
  int32_t before = feature;
  for (const int32_t partner : pairs.of(feature)) {
    if (partner <= before || at(partner) >= pairs.n_features())
      throw std::invalid_argument("partners of feature " + std::to_string(feature) +
                                  " must be larger features that ascend");
    before = partner;
  }
}

// Rows must be sound, and their features ascend, because pairs are found by searching.
void check_rows(const FeaturePairs& pairs, const FeatureRows& rows) {
  check(rows, pairs.n_features());
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (int64_t e = rows.indptr[i] + 1; e < rows.indptr[i + 1]; ++e)
      if (rows.indices[at(e)] <= rows.indices[at(e - 1)])
        throw std::invalid_argument("features must ascend, but do not in row " + std::to_string(i));
}

template <class Row>
void for_each_row(std::size_t n_rows, int n_threads, Interrupt& interrupt, Row row) {
  parallel_for((n_rows + BLOCK - 1) / BLOCK, n_threads, interrupt, [&](std::size_t block, std::size_t) {
    for (std::size_t i = block * BLOCK; i < std::min(n_rows, (block + 1) * BLOCK); ++i) row(i);
  });
}

std::span<const int32_t> features_of(const FeatureRows& rows, std::size_t i) {
  return rows.indices.subspan(at(rows.indptr[i]), at(rows.indptr[i + 1] - rows.indptr[i]));
}

struct SortedRow {
  std::vector<int32_t> features;
  std::vector<float> values;
};

SortedRow sorted(std::span<const int32_t> features, std::span<const float> values) {
  std::vector<std::size_t> order(features.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return features[i]; });
  SortedRow row;
  for (const std::size_t i : order) {
    row.features.push_back(features[i]);
    row.values.push_back(values[i]);
  }
  return row;
}

}  // namespace

void check(const FeaturePairs& pairs) {
  if (pairs.empty() && pairs.partners.empty()) return;
  if (pairs.empty() || pairs.begin.front() != 0 || at(pairs.begin.back()) != pairs.partners.size())
    throw std::invalid_argument("pairs must begin with 0 and end with their number");
  if (!(pairs.factor > 0.0f) || pairs.factor > 1e6f)
    throw std::invalid_argument("the factor of pairs must be above 0 and at most 1000000");
  constexpr auto most = static_cast<std::size_t>(std::numeric_limits<int32_t>::max());
  if (pairs.n_features() > most || pairs.partners.size() > most - pairs.n_features())
    throw std::invalid_argument("there must be fewer than 2^31 features and pairs");
  if (!std::ranges::is_sorted(pairs.begin)) throw std::invalid_argument("beginnings of pairs must ascend");
  for (std::size_t a = 0; a < pairs.n_features(); ++a) check_partners(pairs, static_cast<int32_t>(a));
}

std::vector<uint64_t> pair_filter(const FeaturePairs& pairs) {
  if (pairs.empty()) return {};
  std::vector<uint64_t> filter(std::bit_ceil(pairs.partners.size() / 4 + 1), 0);
  for (std::size_t a = 0; a < pairs.n_features(); ++a)
    for (const int32_t b : pairs.of(static_cast<int32_t>(a))) {
      const uint64_t place = FeaturePairs::hash(static_cast<int32_t>(a), b) & (64 * filter.size() - 1);
      filter[place / 64] |= uint64_t{1} << (place % 64);
    }
  return filter;
}

void PairedRows::clear() {
  begin.assign(1, 0);
  indices.clear();
  values.clear();
}

void PairedRows::add(const FeaturePairs& pairs, std::span<const int32_t> features,
                     std::span<const float> row_values) {
  if (!std::ranges::is_sorted(features)) {
    const SortedRow row = sorted(features, row_values);
    return add(pairs, row.features, row.values);
  }
  indices.insert(indices.end(), features.begin(), features.end());
  values.insert(values.end(), row_values.begin(), row_values.end());
  for_each_pair(pairs, features, [&](std::size_t i, std::size_t j, std::size_t pair) {
    indices.push_back(static_cast<int32_t>(pairs.n_features() + pair));
    values.push_back(pairs.value(row_values[i], row_values[j]));
  });
  begin.push_back(static_cast<int64_t>(indices.size()));
}

std::vector<int64_t> begin_with_pairs(const FeaturePairs& pairs, const FeatureRows& rows, int n_threads,
                                      Interrupt& interrupt) {
  check_rows(pairs, rows);
  std::vector<int64_t> begin(rows.size() + 1, 0);
  for_each_row(rows.size(), n_threads, interrupt, [&](std::size_t i) {
    int64_t n = rows.indptr[i + 1] - rows.indptr[i];
    for_each_pair(pairs, features_of(rows, i), [&](std::size_t, std::size_t, std::size_t) { ++n; });
    begin[i + 1] = n;
  });
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  return begin;
}

void write_with_pairs(const FeaturePairs& pairs, const FeatureRows& rows, std::span<const int64_t> begin,
                      std::span<int32_t> indices, std::span<float> values, int n_threads,
                      Interrupt& interrupt) {
  check_rows(pairs, rows);
  if (begin.size() != rows.size() + 1 || indices.size() != values.size() || begin.front() != 0)
    throw std::invalid_argument("rows with pairs need as many places as there are entries");
  check_pointers(begin, indices.size());
  for_each_row(rows.size(), n_threads, interrupt, [&](std::size_t i) {
    const auto first = at(rows.indptr[i]), length = at(rows.indptr[i + 1] - rows.indptr[i]);
    auto to = at(begin[i]);
    const auto end = at(begin[i + 1]);
    const auto put = [&](int32_t index, float value) {
      if (to == end) throw std::invalid_argument("a row with pairs has more entries than places");
      indices[to] = index;
      values[to++] = value;
    };
    for (std::size_t e = first; e < first + length; ++e) put(rows.indices[e], rows.values[e]);
    for_each_pair(pairs, features_of(rows, i), [&](std::size_t a, std::size_t b, std::size_t pair) {
      put(static_cast<int32_t>(pairs.n_features() + pair),
          pairs.value(rows.values[first + a], rows.values[first + b]));
    });
    if (to != end) throw std::invalid_argument("a row with pairs has fewer entries than places");
  });
}

}  // namespace labeltree
