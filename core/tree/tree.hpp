// A label tree as flat arrays, breadth first: node 0 is the root, siblings lie side by side, and parent[]
// never decreases.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/large_vector.hpp"

namespace labeltree {

// Nodes in any order, as builders make them and Tree takes them.
struct NodeLists {
  std::vector<int32_t> parent, label;
};

// Immutable once built, and always well formed: kernels walk it without further checks.
class Tree {
 public:
  // Takes parents in any order of nodes, contracts nodes of degree one and numbers the rest breadth first,
  // siblings in the order of their old numbers. Throws std::invalid_argument naming node and rule.
  Tree(std::span<const int32_t> parent, std::span<const int32_t> label);
  // The same for arrays of a file, which outlive the tree: they are used without a copy, so their nodes must
  // be numbered as a tree numbers them.
  static Tree of_file(std::span<const int32_t> parent, std::span<const int32_t> label);

  Tree(Tree&&) = default;
  Tree& operator=(Tree&&) = default;
  Tree(const Tree&) = delete;  // its spans would be of the other's vectors
  Tree& operator=(const Tree&) = delete;
  ~Tree() = default;

  std::size_t n_nodes() const { return parent_.size(); }
  std::size_t n_labels() const { return leaf_.size(); }
  int32_t parent(int32_t v) const { return parent_[static_cast<std::size_t>(v)]; }  // -1 for the root
  int32_t label(int32_t v) const { return label_[static_cast<std::size_t>(v)]; }    // -1 for inner nodes
  int32_t leaf(int32_t j) const { return leaf_[static_cast<std::size_t>(j)]; }
  // The children of v are first_child(v) .. first_child(v + 1) - 1.
  int32_t first_child(int32_t v) const { return first_child_[static_cast<std::size_t>(v)]; }
  int32_t degree(int32_t v) const { return first_child(v + 1) - first_child(v); }

  std::span<const int32_t> parents() const { return parent_; }
  std::span<const int32_t> labels() const { return label_; }
  std::span<const int32_t> leaves() const { return leaf_; }
  std::span<const int32_t> first_children() const { return first_child_; }

 private:
  Tree() = default;
  bool take(std::span<const int32_t> parent, std::span<const int32_t> label);
  bool take_children(std::span<const int32_t> parent);
  bool take_labels(std::span<const int32_t> label);
  void put_in_order(std::span<const int32_t> parent, std::span<const int32_t> label);
  void own(std::vector<int32_t> parent, std::vector<int32_t> label);

  std::vector<int32_t> own_parent_, own_label_;  // empty where the arrays are those of a file
  std::span<const int32_t> parent_, label_;
  LargeVector<int32_t> leaf_, first_child_;
};

}  // namespace labeltree
