// φ merging: a cheap binary tree over labels from which rows they share.
#pragma once

#include <cstdint>
#include <vector>

#include "base/interrupt.hpp"
#include "build/price.hpp"
#include "build/similarity.hpp"
#include "data/sparse.hpp"
#include "tree/tree.hpp"

namespace labeltree {

// Joins the smallest cluster a with the cluster c that minimizes the price of their union u plus what is
// still to be paid above it, φ(u) - φ(c), where φ(x) = price per bit * x * log2(n / x). Clusters that share
// rows with a compete with the next smallest one. O(k nnz log m) time for at most k labels per row, O(nnz +
// m) memory.
NodeLists merge(const LabelRows& rows, int32_t n_labels, Price price, Interrupt& interrupt);

// What the labels are part of.
struct MergeLimits {
  double n_rows;       // n of φ; perhaps more than the rows of these labels
  int64_t min_weight;  // clusters of at least this many rows are not joined with each other
};

// Clusters that were not joined.
struct Forest {
  NodeLists nodes;             // labels first; children before their parents; a cluster has parent -1
  std::vector<int32_t> names;  // of the clusters, in the order of their nodes
};

// The same, but similarity counts in the choice of c, and merging may stop early.
Forest merge_similar(const LabelRows& rows, int32_t n_labels, Price price, const MergeLimits& limits,
                     Similarity& similarity, Interrupt& interrupt);

}  // namespace labeltree
