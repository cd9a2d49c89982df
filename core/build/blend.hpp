// φ merging that also counts the similarity of the labels' features.
#pragma once

#include <cstdint>

#include "base/interrupt.hpp"
#include "build/price.hpp"
#include "data/sparse.hpp"
#include "tree/tree.hpp"

namespace labeltree {

struct BlendSettings {
  double similarity;  // 0: price only, 1: cosine of the clusters' vectors only
  uint64_t seed;
  int n_threads;  // the tree is the same for every number
};

// Joins the smallest cluster with the best of: the cheapest clusters that share rows with it, clusters near
// it in a 2-means tree, and the next smallest. At most about 50 cosines per step, each linear in the entries
// of the other cluster's vector, of which a few thousand at most are kept.
//
// Where similarity counts for three quarters or more, more than 4096 labels are first split by 2-means into
// parts of similar labels, in which clusters grow until about an eighth as many are left as there were; then
// these clusters are split in the same way, until one part is left. Parts are merged in parallel. Where the
// price counts for more, labels that share rows must be free to join.
NodeLists blend(const FeatureRows& features, int32_t n_features, const LabelRows& rows, int32_t n_labels,
                Price price, const BlendSettings& settings, Interrupt& interrupt);

}  // namespace labeltree
