// Node classifiers laid out for queries: the weights of all children of a node together, by feature.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sparse.hpp"
#include "tree.hpp"

namespace labeltree {

// Siblings are asked together, and a row has few features: one walk over those that the row and the siblings
// share gives the scores of them all.
class SiblingWeights {
 public:
  // by_node has the weights of each node, features ascending. Throws unless the arrays fit the tree.
  SiblingWeights(const Tree& tree, const FeatureRows& by_node, std::span<const float> bias,
                 std::size_t n_features);

  std::size_t n_features() const { return n_features_; }
  std::size_t n_weights() const { return values_.size(); }

  // Scores of all children of a node, or of the root itself where node is -1. The row's features ascend.
  void score(int32_t node, std::span<const int32_t> indices, std::span<const float> values,
             std::vector<float>& scores) const;

  // The weights of one node, features ascending. Throws if there is no such node.
  void of_node(int32_t node, std::vector<int32_t>& features, std::vector<float>& values) const;

  // The weights by node again: indptr, features, values.
  void by_node(std::vector<int64_t>& indptr, std::vector<int32_t>& features,
               std::vector<float>& values) const;
  std::span<const float> bias() const { return bias_; }

 private:
  struct Family {
    int32_t first, size;  // the siblings are nodes first .. first + size - 1
  };

  Family family(int32_t node) const {
    if (node < 0) return {0, 1};
    return {tree_->first_child(node), tree_->degree(node)};
  }

  const Tree* tree_;
  std::size_t n_features_;
  std::vector<float> bias_;            // [node]
  std::vector<int64_t> family_begin_;  // [node + 2] where the features of the family of node - 1 begin
  std::vector<int32_t> features_;      // of one family after the other, ascending
  std::vector<int64_t> entry_begin_;   // [place in features_ + 1]
  std::vector<int32_t> sibling_;       // number among the siblings
  std::vector<float> values_;
};

}  // namespace labeltree
