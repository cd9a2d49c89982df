// Hierarchical spherical k-means over label vectors.
#pragma once

#include <cstdint>

#include "base/interrupt.hpp"
#include "build/label_vectors.hpp"
#include "tree/tree.hpp"

namespace labeltree {

struct ClusterSettings {
  int32_t arity;          // clusters a node is split into
  int32_t max_leaf_size;  // a cluster of at most this many labels is not split
  bool balanced;          // clusters of a node differ by at most one label
  int32_t max_depth;      // of the tree, in edges
  uint64_t seed;
  int n_threads;  // the tree is the same for every number
};

// Splits all labels into `arity` clusters by bisecting k-means, and each cluster in the same way. A bisection
// makes at most 20 rounds of 2-means by cosine and stops when the mean cosine of label and centroid gains
// less than 1e-4. Labels with empty vectors keep together. Takes the vectors, because they are rewritten in
// place: each bisection renumbers the features that at least two of its labels have and drops the rest, which
// changes no score. O(depth * entries) time per round, O(entries) memory.
NodeLists cluster(LabelVectors vectors, const ClusterSettings& settings, Interrupt& interrupt);

}  // namespace labeltree
