#include "weights.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "index.hpp"

namespace labeltree {
SiblingWeights::SiblingWeights(const Tree& tree, const FeatureRows& by_node, std::span<const float> bias,
                               std::size_t n_features)
    : tree_(&tree), n_features_(n_features), bias_(bias.begin(), bias.end()) {
  check(by_node, n_features);
  if (by_node.size() != tree.n_nodes() || bias.size() != tree.n_nodes())
    throw std::invalid_argument("a model has weights and a bias for each node of its tree");
  sibling_.resize(by_node.indices.size());
  values_.resize(by_node.indices.size());
  family_begin_ = {0};
  entry_begin_ = {0};
  std::vector<int64_t> next(n_features, 0);  // [feature] entries in the family, then where the next one goes
  std::vector<int32_t> touched;
  for (int32_t node = -1; node < static_cast<int32_t>(tree.n_nodes()); ++node) {
    const auto [first, size] = family(node);
    const int64_t begin = size > 0 ? by_node.indptr[at(first)] : 0;
    const int64_t end = size > 0 ? by_node.indptr[at(first + size)] : 0;
    for (int64_t e = begin; e < end; ++e)
      if (next[at(by_node.indices[at(e)])]++ == 0) touched.push_back(by_node.indices[at(e)]);
    std::ranges::sort(touched);
    for (const int32_t feature : touched) {
      features_.push_back(feature);
      entry_begin_.push_back(entry_begin_.back() + next[at(feature)]);
      next[at(feature)] = entry_begin_[entry_begin_.size() - 2];
    }
    for (int32_t s = 0; s < size; ++s)
      for (int64_t e = by_node.indptr[at(first + s)]; e < by_node.indptr[at(first + s + 1)]; ++e) {
        const auto place = at(next[at(by_node.indices[at(e)])]++);
        sibling_[place] = s;
        values_[place] = by_node.values[at(e)];
      }
    for (const int32_t feature : touched) next[at(feature)] = 0;
    touched.clear();
    family_begin_.push_back(static_cast<int64_t>(features_.size()));
  }
}

void SiblingWeights::score(int32_t node, std::span<const int32_t> indices, std::span<const float> values,
                           std::vector<float>& scores) const {
  const auto [first, size] = family(node);
  scores.assign(bias_.begin() + first, bias_.begin() + first + size);
  auto feature = features_.begin() + family_begin_[at(node + 1)];
  const auto end = features_.begin() + family_begin_[at(node + 2)];
  for (std::size_t k = 0; k < indices.size() && feature != end; ++k) {
    // Gallop: the next common feature is often near.
    std::ptrdiff_t step = 1;
    while (step < end - feature && feature[step] < indices[k]) step *= 2;
    feature =
        std::lower_bound(feature + step / 2, step < end - feature ? feature + step + 1 : end, indices[k]);
    if (feature == end || *feature != indices[k]) continue;
    const auto place = static_cast<std::size_t>(feature - features_.begin());
    for (int64_t e = entry_begin_[place]; e < entry_begin_[place + 1]; ++e)
      scores[at(sibling_[at(e)])] += values[k] * values_[at(e)];
  }
}

void SiblingWeights::of_node(int32_t node, std::vector<int32_t>& features, std::vector<float>& values) const {
  if (node < 0 || at(node) >= tree_->n_nodes())
    throw std::invalid_argument("nodes are 0.." + std::to_string(tree_->n_nodes() - 1) + ", but " +
                                std::to_string(node) + " was asked for");
  const int32_t parent = tree_->parent(node);
  const int32_t sibling = node - family(parent).first;
  for (int64_t f = family_begin_[at(parent + 1)]; f < family_begin_[at(parent + 2)]; ++f)
    for (int64_t e = entry_begin_[at(f)]; e < entry_begin_[at(f + 1)]; ++e) {
      if (sibling_[at(e)] != sibling) continue;
      features.push_back(features_[at(f)]);
      values.push_back(values_[at(e)]);
    }
}

void SiblingWeights::by_node(std::vector<int64_t>& indptr, std::vector<int32_t>& features,
                             std::vector<float>& values) const {
  indptr.assign(tree_->n_nodes() + 1, 0);
  const auto visit = [&](auto each) {
    for (int32_t node = -1; node < static_cast<int32_t>(tree_->n_nodes()); ++node)
      for (int64_t f = family_begin_[at(node + 1)]; f < family_begin_[at(node + 2)]; ++f)
        for (int64_t e = entry_begin_[at(f)]; e < entry_begin_[at(f + 1)]; ++e)
          each(family(node).first + sibling_[at(e)], features_[at(f)], values_[at(e)]);
  };
  visit([&](int32_t node, int32_t, float) { ++indptr[at(node + 1)]; });
  for (std::size_t v = 0; v < tree_->n_nodes(); ++v) indptr[v + 1] += indptr[v];
  features.resize(values_.size());
  values.resize(values_.size());
  std::vector<int64_t> next(indptr.begin(), indptr.end() - 1);
  visit([&](int32_t node, int32_t feature, float value) {
    const auto place = at(next[at(node)]++);
    features[place] = feature;
    values[place] = value;
  });
}

}  // namespace labeltree
