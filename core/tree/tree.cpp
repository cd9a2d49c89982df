#include "tree/tree.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace labeltree {
namespace {

std::string node_name(int64_t v) {
  return "node " + std::to_string(v);
}

[[noreturn]] void refuse(const std::string& why) {
  throw std::invalid_argument(why);
}

int32_t find_root(std::span<const int32_t> parent) {
  const auto n = static_cast<int32_t>(parent.size());
  int32_t root = -1;
  for (int32_t v = 0; v < n; ++v) {
    const int32_t p = parent[static_cast<std::size_t>(v)];
    if (p < -1 || p >= n)
      refuse("parents must lie in -1.." + std::to_string(n - 1) + ", but " + node_name(v) + " has " +
             std::to_string(p));
    if (p != -1) continue;
    if (root != -1)
      refuse("a tree has one root, but " + node_name(root) + " and " + node_name(v) + " both have parent -1");
    root = v;
  }
  if (root == -1) refuse("a tree has one root, but no node has parent -1, so the parents form a cycle");
  return root;
}

// Children grouped by parent, in the order of their numbers.
struct Children {
  std::vector<int32_t> first, node;

  explicit Children(std::span<const int32_t> parent) : first(parent.size() + 1), node(parent.size()) {
    for (const int32_t p : parent)
      if (p >= 0) ++first[static_cast<std::size_t>(p) + 1];
    for (std::size_t v = 0; v < parent.size(); ++v) first[v + 1] += first[v];
    std::vector<int32_t> next(first.begin(), first.end() - 1);
    for (std::size_t v = 0; v < parent.size(); ++v)
      if (parent[v] >= 0)
        node[static_cast<std::size_t>(next[static_cast<std::size_t>(parent[v])]++)] = static_cast<int32_t>(v);
  }
  std::span<const int32_t> of(int32_t v) const {
    const auto begin = static_cast<std::size_t>(first[static_cast<std::size_t>(v)]);
    const auto end = static_cast<std::size_t>(first[static_cast<std::size_t>(v) + 1]);
    return std::span(node).subspan(begin, end - begin);
  }
};

// Returns the number of labels.
std::size_t check_labels(std::span<const int32_t> label, const Children& children) {
  std::size_t n_leaves = 0;
  for (std::size_t v = 0; v < label.size(); ++v) n_leaves += children.of(static_cast<int32_t>(v)).empty();
  std::vector<int32_t> owner(n_leaves, -1);
  for (std::size_t v = 0; v < label.size(); ++v) {
    const int32_t j = label[v];
    const auto name = [v] { return node_name(static_cast<int64_t>(v)); };
    if (!children.of(static_cast<int32_t>(v)).empty()) {
      if (j != -1)
        refuse("labels sit on leaves, but " + name() + " has children and label " + std::to_string(j) +
               "; give the label a leaf of its own");
      continue;
    }
    if (j < 0) refuse("every leaf has a label, but " + name() + " is a leaf with label " + std::to_string(j));
    if (static_cast<std::size_t>(j) >= n_leaves)
      refuse("labels of " + std::to_string(n_leaves) + " leaves are 0.." + std::to_string(n_leaves - 1) +
             ", but " + name() + " has label " + std::to_string(j) + ", so another is missing");
    auto& first_owner = owner[static_cast<std::size_t>(j)];
    if (first_owner != -1)
      refuse("a label sits on one leaf, but label " + std::to_string(j) + " is on " + node_name(first_owner) +
             " and on " + name());
    first_owner = static_cast<int32_t>(v);
  }
  return n_leaves;
}

// Some node is not reached from the root: its ancestors run in a circle. Names a node of that circle.
[[noreturn]] void refuse_cycle(std::span<const int32_t> parent, const std::vector<bool>& reached) {
  std::size_t v = 0;
  while (reached[v]) ++v;
  for (std::size_t step = 0; step < parent.size(); ++step) v = static_cast<std::size_t>(parent[v]);
  refuse("a tree has no cycle, but " + node_name(static_cast<int64_t>(v)) + " is its own ancestor");
}

// Whether parents are numbered as a Tree numbers them, where no node has one child: model files have such.
// Parents that never decrease and come before their children leave no room for a cycle.
bool is_numbered(std::span<const int32_t> parent) {
  if (parent[0] != -1) return false;
  for (std::size_t v = 1; v < parent.size(); ++v)
    if (parent[v] < 0 || parent[v] < parent[v - 1] || parent[v] >= static_cast<int32_t>(v)) return false;
  return true;
}

}  // namespace

// Takes the arrays as they are; false where they must be put in order, or a rule is broken.
bool Tree::take(std::span<const int32_t> parent, std::span<const int32_t> label) {
  if (!is_numbered(parent)) return false;
  first_child_.resize(parent.size() + 1);
  std::size_t v = 0;  // the first node whose children have not begun
  for (std::size_t child = 1; child < parent.size(); ++child)
    while (v <= static_cast<std::size_t>(parent[child])) first_child_[v++] = static_cast<int32_t>(child);
  std::fill(first_child_.begin() + static_cast<std::ptrdiff_t>(v), first_child_.end(),
            static_cast<int32_t>(parent.size()));
  std::size_t n_leaves = 0;
  for (v = 0; v < parent.size(); ++v) {
    if (first_child_[v + 1] - first_child_[v] == 1) return false;
    n_leaves += first_child_[v + 1] == first_child_[v];
  }
  leaf_.assign(n_leaves, -1);
  for (v = 0; v < parent.size(); ++v) {
    const bool is_leaf = first_child_[v + 1] == first_child_[v];
    const auto j = static_cast<std::size_t>(label[v]);
    if (is_leaf ? label[v] < 0 || j >= n_leaves || leaf_[j] >= 0 : label[v] != -1) return false;
    if (is_leaf) leaf_[j] = static_cast<int32_t>(v);
  }
  parent_.assign(parent.begin(), parent.end());
  label_.assign(label.begin(), label.end());
  return true;
}

Tree::Tree(std::span<const int32_t> parent, std::span<const int32_t> label) {
  if (parent.empty()) refuse("a tree has at least one node, but parent is empty");
  if (parent.size() != label.size())
    refuse("parent and label must be equally long, but have " + std::to_string(parent.size()) + " and " +
           std::to_string(label.size()) + " entries");
  if (take(parent, label)) return;
  first_child_.clear();
  const int32_t root = find_root(parent);
  const Children children(parent);

  std::vector<int32_t> queue;  // old numbers in new order
  std::vector<bool> reached(parent.size(), false);
  const auto append = [&](int32_t v, int32_t new_parent) {
    reached[static_cast<std::size_t>(v)] = true;
    while (children.of(v).size() == 1) {
      v = children.of(v).front();
      reached[static_cast<std::size_t>(v)] = true;
    }
    queue.push_back(v);
    parent_.push_back(new_parent);
    label_.push_back(label[static_cast<std::size_t>(v)]);
  };
  append(root, -1);
  for (std::size_t i = 0; i < queue.size(); ++i) {
    first_child_.push_back(static_cast<int32_t>(queue.size()));
    for (const int32_t child : children.of(queue[i])) append(child, static_cast<int32_t>(i));
  }
  first_child_.push_back(static_cast<int32_t>(queue.size()));
  for (std::size_t v = 0; v < parent.size(); ++v)
    if (!reached[v]) refuse_cycle(parent, reached);
  leaf_.resize(check_labels(label, children));
  for (std::size_t v = 0; v < label_.size(); ++v)
    if (label_[v] >= 0) leaf_[static_cast<std::size_t>(label_[v])] = static_cast<int32_t>(v);
}

}  // namespace labeltree
