// Numbers of the (row, node) pairs of Algorithm 1.
#pragma once

#include <cstdint>
#include <vector>

#include "data/sparse.hpp"
#include "tree/tree.hpp"

namespace labeltree {

// Row by row: the root where it has a classifier of its own, then the children of the positive nodes.
class PathPairs {
 public:
  PathPairs() = default;
  PathPairs(const Tree& tree, const LabelRows& rows, bool with_root);

  std::size_t size() const { return size_; }
  // The pair of a row and the first child of a node, or the root itself where the node is -1; the other
  // children follow. -1 unless the node is positive.
  int64_t first_child(std::size_t row, int32_t node) const;

 private:
  std::vector<std::size_t> begin_;  // row i has nodes_[begin_[i]] .. nodes_[begin_[i + 1] - 1]
  std::vector<int32_t> nodes_;      // with children, ascending in each row; -1 above the root
  std::vector<int64_t> first_;      // [number in nodes_]
  std::size_t size_ = 0;
};

}  // namespace labeltree
