// How many features occur in the rows of each node: what bounds the size of its children's weights.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/sparse.hpp"
#include "tree/tree.hpp"

namespace labeltree {

// Features of rows without their values: row i has features[indptr[i]] .. features[indptr[i + 1] - 1].
struct FeaturePattern {
  std::span<const int64_t> indptr;
  std::span<const int32_t> features;
  std::size_t n_features;
};

// Number of distinct features in the rows that have a label under each inner node; 0 for leaves. The time is
// that of the positive (row, inner node) pairs times the features of their rows; memory is 4 bytes per pair.
// Throws std::invalid_argument if labels and features have unequal numbers of rows.
std::vector<int64_t> active_features(const Tree& tree, const LabelRows& labels, const FeaturePattern& X);

}  // namespace labeltree
