// Probabilities of sibling nodes for one row: scores through the link.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/weights.hpp"

namespace labeltree {

// A tree with its node classifiers. A node's estimate is 1 / (1 + exp(-(slope * score + intercept))).
class TreeModel {
 public:
  // slope and intercept of each node. Throws unless they are finite and of the right number. With
  // normalize_siblings, estimates of siblings that sum to less than 1 are divided by their sum, because at
  // least one child of a positive node is positive (Theorem 6).
  TreeModel(SiblingWeights weights, std::span<const float> slope, std::span<const float> intercept,
            bool has_root, bool normalize_siblings);

  const Tree& tree() const { return weights_.tree(); }
  const SiblingWeights& weights() const { return weights_; }
  bool has_root() const { return has_root_; }  // whether the root has a classifier of its own

  // P(child | node, row) for all children of a node; of the root itself where node is -1. Valid until
  // `space` changes.
  std::span<const float> child_probabilities(int32_t node, const QueryRow& row, QuerySpace& space) const;

  // The same for a row that has not been checked yet.
  std::vector<float> child_probabilities(int32_t node, const QueryRow& row) const;

 private:
  SiblingWeights weights_;
  std::vector<float> slope_, intercept_;  // [node] of the sums, so bias and scale are in them
  bool has_root_;
  bool normalize_siblings_;
};

}  // namespace labeltree
