#include "search/one_row.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "base/index.hpp"

namespace labeltree {
namespace {

// The weights of one node come from memory while another is evaluated. Batches take fewer, because rows share
// what is in the cache.
constexpr int32_t NODES_PER_STEP = 16;

}  // namespace

BestLabels best_labels(const Stages& stages, std::span<const LabelLimits* const> limits, const QueryRow& row,
                       int32_t k, int32_t beam, const RowScaling& scaling, const Curve& curve) {
  if (k < 1) throw std::invalid_argument("k must be at least 1, but is " + std::to_string(k));
  check(curve);
  for (std::size_t i = 0; i < row.values.size(); ++i)
    if (!std::isfinite(row.values[i]))
      throw std::invalid_argument("X must not contain NaN or inf, but feature " +
                                  std::to_string(i < row.indices.size() ? row.indices[i] : -1) + " does");
  const int64_t ends[] = {0, static_cast<int64_t>(row.indices.size())};
  const FeatureRows rows{ends, row.indices, row.values};
  const Query query{.k = std::min(k, static_cast<int32_t>(stages.trees.front()->tree().n_labels())),
                    .threshold = 0.0f,
                    .beam = beam,
                    .nodes_per_step = NODES_PER_STEP,
                    .scaling = scaling,
                    .curve = curve,
                    .n_threads = 1};
  Interrupt none;
  const SearchResults results = search(stages, limits, {}, rows, query, none);
  BestLabels best{std::vector<int64_t>(at(k), -1), std::vector<float>(at(k), 0.0f)};
  std::ranges::copy(results.labels, best.labels.begin());
  std::ranges::transform(results.probabilities, best.probabilities.begin(), curve);
  return best;
}

}  // namespace labeltree
