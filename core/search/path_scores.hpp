// What node classifiers say about rows whose labels are known: the pairs of Algorithm 1 with their scores.
#pragma once

#include <cstdint>
#include <vector>

#include "base/interrupt.hpp"
#include "data/sparse.hpp"
#include "model/tree_model.hpp"

namespace labeltree {

// One entry for each (row, node) pair, row by row: the root where it has a classifier of its own, and every
// child of a positive node.
struct PathScores {
  std::vector<int32_t> nodes;
  std::vector<float> scores;      // before any link
  std::vector<uint8_t> positive;  // 1 where the row has a label under the node
};

PathScores path_scores(const TreeModel& model, const FeatureRows& rows, const LabelRows& labels,
                       int n_threads, Interrupt& interrupt);

}  // namespace labeltree
