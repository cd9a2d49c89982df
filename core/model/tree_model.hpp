// Probabilities of sibling nodes for one row: scores through the link.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/large_vector.hpp"
#include "model/siblings.hpp"
#include "model/weights.hpp"

namespace labeltree {

// How scores become estimates: slope and intercept of each node, or one for all. A factor, if there are any,
// changes the slope and keeps the estimate of the score -1.
struct Links {
  std::span<const float> slope, intercept;  // [node], or one number
  std::span<const float> factor;            // [node], or empty
};

// A tree with its node classifiers. A node's estimate is 1 / (1 + exp(-(slope * score + intercept))).
class TreeModel {
 public:
  // Throws unless links are finite and of the right number.
  TreeModel(SiblingWeights weights, const Links& links, bool has_root, SiblingSums siblings);
  TreeModel(SiblingWeights weights, std::span<const float> slope, std::span<const float> intercept,
            bool has_root, SiblingSums siblings)
      : TreeModel(std::move(weights), {slope, intercept, {}}, has_root, siblings) {}

  const Tree& tree() const { return weights_.tree(); }
  const SiblingWeights& weights() const { return weights_; }
  bool has_root() const { return has_root_; }  // whether the root has a classifier of its own

  // P(child | node, row) for all children of a node; of the root itself where node is -1. Valid until
  // `space` changes. Known scores, if there are any, take the place of the model's unless they are not a
  // number.
  std::span<const float> child_probabilities(int32_t node, const QueryRow& row, QuerySpace& space,
                                             std::span<const float> known = {}) const;

  // The same for a row that has not been checked yet.
  std::vector<float> child_probabilities(int32_t node, const QueryRow& row) const;

 private:
  void put_known(std::span<const float> known, std::size_t first, std::span<float> sums) const;

  SiblingWeights weights_;
  LargeVector<float> slope_, intercept_;  // [node] of the sums, so bias and scale are in them
  bool has_root_;
  SiblingSums siblings_;
};

}  // namespace labeltree
