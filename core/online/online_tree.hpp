// A label tree that grows and shrinks while it learns.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "online/online_store.hpp"
#include "tree/tree.hpp"

namespace labeltree {

// How the place of a new label is chosen at a node that is full.
enum class Insert : uint8_t {
  score,  // under the child that the row is most likely to belong to
  cost,   // under a child that the row reaches anyway, else under any, the one that the fewest rows reach
  cost_and_score,  // as cost under a child that the row reaches anyway, else by score, with less for many
                   // labels
};

struct GrowthSettings {
  Insert insert;
  std::size_t max_degree;
};

struct OnlineNode {
  explicit OnlineNode(const OptimizerSettings& settings) : stored(std::make_shared<OnlineStore>(settings)) {}

  const OnlineStore& store() const { return *stored; }
  // To be changed: a copy, where others start from it.
  OnlineStore& store() {
    if (stored.use_count() > 1) stored = std::make_shared<OnlineStore>(*stored);
    return *stored;
  }

  int32_t parent = -1;
  int32_t position = 0;                 // among its siblings; its lane is one more
  int32_t label = -1;                   // -1 for inner nodes
  int64_t n_rows = 0;                   // that had a label below it
  int64_t n_leaves = 0;                 // below it, or itself
  std::vector<int32_t> children;        // in the order of lanes
  std::shared_ptr<OnlineStore> stored;  // of the children
};

// Node 0 stands above the root: its only child is the root, and every row reaches it. Nodes that are gone
// keep their number and have no parent.
class OnlineTree {
 public:
  explicit OnlineTree(const OptimizerSettings& settings);
  // A whole tree at once, with nothing learned yet; nodes are numbered as there, plus one.
  OnlineTree(const Tree& tree, const OptimizerSettings& settings);

  static constexpr int32_t ABOVE = 0;
  std::size_t n_labels() const { return leaf_.size(); }
  std::size_t size() const { return nodes_.size(); }
  int32_t leaf(int32_t label) const { return leaf_[static_cast<std::size_t>(label)]; }
  const OnlineNode& node(int32_t v) const { return nodes_[static_cast<std::size_t>(v)]; }
  OnlineNode& node(int32_t v) { return nodes_[static_cast<std::size_t>(v)]; }
  bool is_leaf(int32_t v) const { return node(v).label >= 0; }
  // Nodes breadth first from the root, children in the order of lanes: how a Tree numbers them.
  std::vector<int32_t> breadth_first() const;

  // Called with a parent whose store is needed now, so that rows it has yet to learn are learned before.
  using Settle = std::function<void(int32_t)>;
  // A new label for a row; is_positive has a 1 for each node that the row reaches. The model afterwards is
  // the one that would have been learned with this tree from the first row on.
  void insert(const QueryRow& row, std::span<const uint8_t> is_positive, const GrowthSettings& growth,
              const Settle& settle, OnlineSpace& space);
  // Removes labels, keep[label] being 0 for them; the others are renumbered in the same order. A parent
  // with one child left goes too, and its child takes over its place and its lane.
  void remove_labels(std::span<const uint8_t> keep);

  void refresh_twins(int32_t v);

 private:
  int32_t add_node(int32_t parent, int32_t label);
  void add_leaf(int32_t v);
  void split_leaf(int32_t leaf, OnlineSpace& space);
  int32_t choose(int32_t v, std::span<const float> scores, std::span<const uint8_t> is_positive,
                 Insert insert) const;
  void count_leaf(int32_t v, int64_t change);
  void remove(int32_t v);
  void contract(int32_t v);

  OptimizerSettings settings_;
  std::vector<OnlineNode> nodes_;
  std::vector<int32_t> leaf_;  // [label]
};

}  // namespace labeltree
