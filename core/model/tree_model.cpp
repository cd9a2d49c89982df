#include "model/tree_model.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <utility>

#include "base/index.hpp"
#include "base/sigmoid.hpp"
#include "base/wide.hpp"
#include "data/sparse.hpp"

namespace labeltree {
namespace {

constexpr std::size_t LANES = 8;

[[gnu::always_inline]] inline Eight eight(const float* from) {
  Eight values;
  std::memcpy(&values, from, sizeof values);
  return values;
}

// Whole vectors, so that up to LANES - 1 numbers behind the last one are read, and estimates written.
[[gnu::always_inline]] inline void link_all(float* __restrict estimate, const float* __restrict slope,
                                            const float* __restrict intercept, std::size_t n) {
  for (std::size_t c = 0; c < n; c += LANES) {
    const Eight p = sigmoid(eight(slope + c) * eight(estimate + c) + eight(intercept + c));
    std::memcpy(estimate + c, &p, sizeof p);
  }
}
constexpr Wide<link_all> link;

// One number for all nodes is repeated; factors are applied.
void put_links(const Links& links, std::span<float> slope, std::span<float> intercept) {
  const auto put = [](std::span<const float> from, std::span<float> to) {
    if (from.size() == to.size())
      std::ranges::copy(from, to.begin());
    else
      std::ranges::fill(to, from.front());
  };
  put(links.slope, slope);
  put(links.intercept, intercept);
  float* __restrict const s = slope.data();
  float* __restrict const i = intercept.data();
  for (std::size_t v = 0; v < links.factor.size(); ++v) {
    const float factor = links.factor[v];
    i[v] += s[v] * (factor - 1.0f);
    s[v] *= factor;
  }
}

// Turns links of scores into links of sums, which lack bias and scale.
void put_weights(const WeightArrays& arrays, float* __restrict slope, float* __restrict intercept) {
  const float* const bias = arrays.bias.data();
  const float* const scale = arrays.scale.data();
  for (std::size_t v = 0; v < arrays.bias.size(); ++v) intercept[v] = slope[v] * bias[v] + intercept[v];
  for (std::size_t v = 0; v < arrays.scale.size(); ++v) slope[v] *= scale[v];
}

// Without an early end, so that several are compared at once.
bool are_finite(std::span<const float> numbers) {
  int n_others = 0;
  for (const float number : numbers) n_others += !(std::abs(number) <= std::numeric_limits<float>::max());
  return n_others == 0;
}

}  // namespace

TreeModel::TreeModel(SiblingWeights weights, const Links& links, bool has_root, SiblingSums siblings)
    : weights_(std::move(weights)), has_root_(has_root), siblings_(siblings) {
  const WeightArrays& arrays = weights_.arrays();
  const std::size_t n = arrays.bias.size();
  const auto fits = [n](std::span<const float> numbers) {
    return numbers.size() == n || numbers.size() == 1;
  };
  if (!fits(links.slope) || !fits(links.intercept) || (!links.factor.empty() && links.factor.size() != n))
    throw std::invalid_argument("slope and intercept must have one number for each node");
  slope_.resize(n + LANES - 1);
  intercept_.resize(n + LANES - 1);
  std::fill(slope_.begin() + static_cast<std::ptrdiff_t>(n), slope_.end(), 0.0f);
  std::fill(intercept_.begin() + static_cast<std::ptrdiff_t>(n), intercept_.end(), 0.0f);
  put_links(links, {slope_.data(), n}, {intercept_.data(), n});
  put_weights(arrays, slope_.data(), intercept_.data());
  if (are_finite({slope_.data(), n}) && are_finite({intercept_.data(), n})) return;
  for (std::size_t v = 0; v < n; ++v)
    if (!std::isfinite(slope_[v]) || !std::isfinite(intercept_[v]))
      throw std::invalid_argument("bias, scale, slope and intercept must be finite, but are not in node " +
                                  std::to_string(v));
}

std::span<const float> TreeModel::child_probabilities(int32_t node, const QueryRow& row, QuerySpace& space,
                                                      std::span<const float> known) const {
  const std::span<float> estimates = weights_.sums(node, row, space);
  const std::size_t first = node < 0 ? 0 : at(tree().first_child(node));
  if (!known.empty()) put_known(known, first, estimates);
  link(estimates.data(), slope_.data() + first, intercept_.data() + first, estimates.size());
  if (node >= 0) normalize(estimates, siblings_);
  return estimates;
}

// Sums are scores without bias, in units of the scale.
void TreeModel::put_known(std::span<const float> known, std::size_t first, std::span<float> sums) const {
  const WeightArrays& arrays = weights_.arrays();
  for (std::size_t c = 0; c < sums.size(); ++c)
    if (!std::isnan(known[c]))
      sums[c] = (known[c] - arrays.bias[first + c]) / (arrays.scale.empty() ? 1.0f : arrays.scale[first + c]);
}

std::vector<float> TreeModel::child_probabilities(int32_t node, const QueryRow& row) const {
  const int64_t ends[] = {0, static_cast<int64_t>(row.indices.size())};
  check({ends, row.indices, row.values}, weights_.n_features());
  QuerySpace space;
  const auto found = child_probabilities(node, row, space);
  return {found.begin(), found.end()};
}

}  // namespace labeltree
