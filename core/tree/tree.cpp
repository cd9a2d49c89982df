#include "tree/tree.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

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
  if (parent[0] != -1 || (parent.size() > 1 && parent[1] < 0)) return false;
  bool is_so = true;  // without an early end, several nodes are compared at once
  const auto n = static_cast<int32_t>(parent.size());
  const int32_t* const p = parent.data();
  for (int32_t v = 1; v < n; ++v) is_so &= (p[v] >= p[v - 1]) & (p[v] < v);
  return is_so;
}

void check_sizes(std::span<const int32_t> parent, std::span<const int32_t> label) {
  if (parent.empty()) refuse("a tree has at least one node, but parent is empty");
  if (parent.size() != label.size())
    refuse("parent and label must be equally long, but have " + std::to_string(parent.size()) + " and " +
           std::to_string(label.size()) + " entries");
  if (parent.size() > static_cast<std::size_t>(std::numeric_limits<int32_t>::max()))
    refuse("a tree has at most 2147483647 nodes, but parent has " + std::to_string(parent.size()));
}

}  // namespace

// Takes the arrays as they are; false where they must be put in order, or a rule is broken.
bool Tree::take(std::span<const int32_t> parent, std::span<const int32_t> label) {
  if (!is_numbered(parent) || !take_children(parent) || !take_labels(label)) return false;
  parent_ = parent;
  label_ = label;
  return true;
}

// False where a node has one child.
bool Tree::take_children(std::span<const int32_t> parent) {
  const auto n = static_cast<int32_t>(parent.size());
  first_child_.resize(parent.size() + 1);
  int32_t* const first = first_child_.data();
  int32_t v = 0;  // the first node whose children have not begun
  for (int32_t child = 1; child < n; ++child)
    while (v <= parent[static_cast<std::size_t>(child)]) first[v++] = child;
  std::fill(first + v, first + n + 1, n);
  int32_t n_leaves = 0, n_single = 0;
  for (v = 0; v < n; ++v) {
    n_leaves += first[v + 1] == first[v];
    n_single += first[v + 1] == first[v] + 1;
  }
  leaf_.assign(static_cast<std::size_t>(n_leaves), -1);
  return n_single == 0;
}

// False where the leaves do not have each label once, or another node has one.
bool Tree::take_labels(std::span<const int32_t> label) {
  const int32_t* const first = first_child_.data();
  bool is_so = true;
  for (std::size_t v = 0; v < label.size(); ++v) {
    const auto j = static_cast<std::size_t>(label[v]);  // a negative one becomes too large
    if (first[v + 1] > first[v])
      is_so &= label[v] == -1;
    else if (j < leaf_.size())
      leaf_[j] = static_cast<int32_t>(v);
    else
      return false;
  }
  // There are as many labels as leaves: where one is on two leaves, another is on none.
  for (const int32_t leaf : leaf_) is_so &= leaf >= 0;
  return is_so;
}

void Tree::own(std::vector<int32_t> parent, std::vector<int32_t> label) {
  own_parent_ = std::move(parent);
  own_label_ = std::move(label);
  parent_ = own_parent_;
  label_ = own_label_;
}

Tree::Tree(std::span<const int32_t> parent, std::span<const int32_t> label) {
  check_sizes(parent, label);
  if (take(parent, label))
    own({parent.begin(), parent.end()}, {label.begin(), label.end()});
  else
    put_in_order(parent, label);
}

Tree Tree::of_file(std::span<const int32_t> parent, std::span<const int32_t> label) {
  check_sizes(parent, label);
  Tree tree;
  if (tree.take(parent, label)) return tree;
  tree.put_in_order(parent, label);  // names the rule that is broken, if any is
  refuse("nodes must be numbered breadth first, and none have one child");
}

void Tree::put_in_order(std::span<const int32_t> parent, std::span<const int32_t> label) {
  first_child_.clear();
  const int32_t root = find_root(parent);
  const Children children(parent);

  std::vector<int32_t> queue, new_parents, new_labels;  // queue: old numbers in new order
  std::vector<bool> reached(parent.size(), false);
  const auto append = [&](int32_t v, int32_t new_parent) {
    reached[static_cast<std::size_t>(v)] = true;
    while (children.of(v).size() == 1) {
      v = children.of(v).front();
      reached[static_cast<std::size_t>(v)] = true;
    }
    queue.push_back(v);
    new_parents.push_back(new_parent);
    new_labels.push_back(label[static_cast<std::size_t>(v)]);
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
  own(std::move(new_parents), std::move(new_labels));
  for (std::size_t v = 0; v < label_.size(); ++v)
    if (label_[v] >= 0) leaf_[static_cast<std::size_t>(label_[v])] = static_cast<int32_t>(v);
}

}  // namespace labeltree
