// Answers: the most probable labels of a row, or all labels above a threshold, by search from the root.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "interrupt.hpp"
#include "sparse.hpp"
#include "tree.hpp"
#include "weights.hpp"

namespace labeltree {

// How a score becomes a probability: 1 / (1 + exp(-(slope * score + intercept))).
struct Link {
  float slope, intercept;
};

// A tree with its node classifiers.
struct TreeModel {
  const Tree* tree;
  SiblingWeights weights;
  Link link;
  bool has_root;  // whether the root has a classifier of its own
};

// Labels and probabilities of each row, best first.
struct Answers {
  std::vector<int64_t> indptr{0};
  std::vector<int32_t> labels;
  std::vector<float> probabilities;
  std::vector<int64_t> n_calls;  // [row] node classifiers asked
};

struct Query {
  int32_t top_k = 0;       // 0 for no limit
  float threshold = 0.0f;  // labels with a smaller probability are left out
  int n_threads = 1;
};

// Exact for one tree: probabilities never rise on the way down, so the most probable open node goes first.
// Several trees are averaged over all labels that any of them puts among its own best.
Answers search(std::span<const TreeModel* const> trees, const FeatureRows& rows, const Query& query,
               Interrupt& interrupt);

// Scores of all children of a node, or of the root itself where node is -1, for the only row of `row`.
std::vector<float> child_scores(const TreeModel& model, int32_t node, const FeatureRows& row);

}  // namespace labeltree
