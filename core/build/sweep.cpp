#include "build/sweep.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/index.hpp"
#include "tree/cost.hpp"

namespace labeltree {
namespace {

constexpr int32_t NONE = -1;
// Nodes with more children than this are not searched for a light child to pair with.
constexpr std::size_t MAX_SEARCHED = 256;

// Where a subtree can go: beside the children of an inner node, or together with a node under a new one.
struct Place {
  double cost = std::numeric_limits<double>::infinity();
  int32_t node = NONE;
  bool under_new_node = false;
};

class Sweeper {
 public:
  Sweeper(const Tree& tree, const LabelRows& rows, Price price)
      : rows_(rows),
        price_(price),
        parent_(tree.parents().begin(), tree.parents().end()),
        label_(tree.labels().begin(), tree.labels().end()),
        leaf_(tree.leaves().begin(), tree.leaves().end()),
        children_(tree.n_nodes()),
        weight_(node_weights(tree, rows)),
        common_(tree.n_nodes(), 0),
        last_walk_(tree.n_nodes(), 0),
        path_cost_(tree.n_nodes(), UNKNOWN),
        is_fixed_(tree.n_labels(), false) {
    for (int32_t v = 0; v < static_cast<int32_t>(tree.n_nodes()); ++v)
      for (int32_t c = tree.first_child(v); c < tree.first_child(v + 1); ++c) children_[at(v)].push_back(c);
    index_columns(tree.n_labels());
  }

  NodeLists run(double max_share, Interrupt& interrupt) {
    const auto limit = static_cast<int64_t>(max_share * static_cast<double>(rows_.size()));
    std::vector<int32_t> order;
    for (int32_t v = 0; v < static_cast<int32_t>(parent_.size()); ++v)
      if (parent_[at(v)] != NONE && weight_[at(v)] > 0 && (is_leaf(v) || weight_[at(v)] <= limit))
        order.push_back(v);
    const std::vector<int64_t> weight = weight_;  // moves change weights; the order does not depend on them
    std::ranges::stable_sort(order, {}, [&](int32_t v) { return weight[at(v)]; });
    for (const int32_t v : order) {
      interrupt.check();
      if (is_in_tree(v) && parent_[at(v)] != NONE) reinsert(v);
    }
    return compact();
  }

 private:
  static constexpr double UNKNOWN = -1.0;

  bool is_leaf(int32_t v) const { return label_[at(v)] != NONE; }
  bool is_in_tree(int32_t v) const { return is_leaf(v) || !children_[at(v)].empty(); }
  double weight(int32_t v) const { return static_cast<double>(weight_[at(v)]); }
  double degree(int32_t v) const { return static_cast<double>(children_[at(v)].size()); }

  void index_columns(std::size_t n_labels) {
    const int64_t longest = longest_walked(rows_);
    column_begin_.assign(n_labels + 1, 0);
    for (const int32_t j : rows_.indices) ++column_begin_[at(j) + 1];
    std::partial_sum(column_begin_.begin(), column_begin_.end(), column_begin_.begin());
    column_rows_.resize(rows_.indices.size());
    std::vector<int64_t> next(column_begin_.begin(), column_begin_.end() - 1);
    for (std::size_t i = 0; i < rows_.size(); ++i)
      for (const int32_t j : rows_[i]) {
        column_rows_[static_cast<std::size_t>(next[at(j)]++)] = static_cast<int32_t>(i);
        if (static_cast<int64_t>(rows_[i].size()) > longest) is_fixed_[at(j)] = true;
      }
    in_subtree_.assign(n_labels, false);
    last_subtree_.assign(rows_.size(), 0);
  }

  void reinsert(int32_t s) {
    collect_labels(s);
    if (!labels_.empty() && std::ranges::none_of(labels_, [&](int32_t j) { return is_fixed_[at(j)]; })) {
      count_common();
      take_out(s);
      put_in(s, best_place());
      for (const int32_t v : touched_) {
        common_[at(v)] = 0;
        path_cost_[at(v)] = UNKNOWN;
      }
      touched_.clear();
    }
    for (const int32_t j : labels_) in_subtree_[at(j)] = false;
  }

  void collect_labels(int32_t s) {
    labels_.clear();
    std::vector<int32_t> stack{s};
    while (!stack.empty()) {
      const int32_t v = stack.back();
      stack.pop_back();
      if (is_leaf(v)) {
        labels_.push_back(label_[at(v)]);
        in_subtree_[at(label_[at(v)])] = true;
      }
      stack.insert(stack.end(), children_[at(v)].begin(), children_[at(v)].end());
    }
  }

  // How many rows of the subtree each other node has: one walk over those rows.
  void count_common() {
    ++subtree_;
    size_ = 0;
    for (const int32_t label : labels_)
      for (auto e = column_begin_[at(label)]; e < column_begin_[at(label) + 1]; ++e) {
        const int32_t row = column_rows_[static_cast<std::size_t>(e)];
        if (last_subtree_[at(row)] == subtree_) continue;
        last_subtree_[at(row)] = subtree_;
        ++size_;
        ++walk_;
        for (const int32_t j : rows_[at(row)])
          if (!in_subtree_[at(j)]) walk_up(leaf_[at(j)]);
      }
  }

  void walk_up(int32_t v) {
    for (; v != NONE && last_walk_[at(v)] != walk_; v = parent_[at(v)]) {
      last_walk_[at(v)] = walk_;
      if (common_[at(v)]++ == 0) touched_.push_back(v);
    }
  }

  // Rows that only the subtree brings to a node.
  double fresh(int32_t v) const { return static_cast<double>(size_ - common_[at(v)]); }

  void take_out(int32_t s) {
    const int32_t p = parent_[at(s)];
    for (int32_t v = p; v != NONE; v = parent_[at(v)]) {
      weight_[at(v)] -= size_ - common_[at(v)];
      if (common_[at(v)] == 0) touched_.push_back(v);  // it has changed, so it is looked at
    }
    std::erase(children_[at(p)], s);
    parent_[at(s)] = NONE;
    if (children_[at(p)].size() == 1) contract(p);
  }

  void contract(int32_t p) {
    const int32_t only = children_[at(p)].front();
    children_[at(p)].clear();
    replace_child(p, only);
    parent_[at(p)] = NONE;
    free_.push_back(p);
    if (common_[at(only)] == 0) touched_.push_back(only);
    std::erase(touched_, p);
    common_[at(p)] = 0;
  }

  // Puts `by` where v is; v keeps no parent.
  void replace_child(int32_t v, int32_t by) {
    const int32_t p = parent_[at(v)];
    parent_[at(by)] = p;
    if (p == NONE)
      root_ = by;
    else
      *std::ranges::find(children_[at(p)], v) = by;
  }

  // What the subtree adds to the proper ancestors of v.
  double path_cost(int32_t v) {
    path_.clear();
    while (path_cost_[at(v)] == UNKNOWN && parent_[at(v)] != NONE) {
      path_.push_back(v);
      v = parent_[at(v)];
    }
    double cost = parent_[at(v)] == NONE ? 0.0 : path_cost_[at(v)];
    for (auto u = path_.rbegin(); u != path_.rend(); ++u) {
      const int32_t p = parent_[at(*u)];
      cost += price_.node(fresh(p), degree(p));
      path_cost_[at(*u)] = cost;
    }
    return cost;
  }

  Place best_place() {
    Place best;
    const auto offer = [&](double cost, int32_t node, bool under_new_node) {
      if (cost < best.cost) best = {cost, node, under_new_node};
    };
    for (const int32_t v : touched_) {
      const double above = path_cost(v);
      offer(above + price_.node(weight(v) + fresh(v), 2.0), v, true);
      if (is_leaf(v)) continue;
      offer(above + price_.node(weight(v) + fresh(v), degree(v) + 1.0) - price_.node(weight(v), degree(v)), v,
            false);
      const int32_t c = lightest_strange_child(v);
      if (c == NONE) continue;
      const double through = above + price_.node(fresh(v), degree(v));
      offer(through + price_.node(weight(c) + static_cast<double>(size_), 2.0), c, true);
    }
    return best;
  }

  // The lightest child that shares no row with the subtree.
  int32_t lightest_strange_child(int32_t v) const {
    const auto& children = children_[at(v)];
    int32_t lightest = NONE;
    if (children.size() > MAX_SEARCHED) return lightest;
    for (const int32_t c : children)
      if (common_[at(c)] == 0 && (lightest == NONE || weight_[at(c)] < weight_[at(lightest)])) lightest = c;
    return lightest;
  }

  void put_in(int32_t s, Place place) {
    int32_t p = place.node;
    if (place.under_new_node) {
      p = new_node();
      replace_child(place.node, p);
      parent_[at(place.node)] = p;
      children_[at(p)] = {place.node};
      weight_[at(p)] = weight_[at(place.node)];
      // The new node has the rows of the one it stands on.
      weight_[at(p)] += size_ - common_[at(place.node)];
    } else {
      weight_[at(p)] += size_ - common_[at(p)];
    }
    for (int32_t v = parent_[at(p)]; v != NONE; v = parent_[at(v)]) weight_[at(v)] += size_ - common_[at(v)];
    children_[at(p)].push_back(s);
    parent_[at(s)] = p;
  }

  int32_t new_node() {
    if (!free_.empty()) {
      const int32_t v = free_.back();
      free_.pop_back();
      return v;
    }
    parent_.push_back(NONE);
    label_.push_back(NONE);
    children_.emplace_back();
    weight_.push_back(0);
    common_.push_back(0);
    last_walk_.push_back(0);
    path_cost_.push_back(UNKNOWN);
    return static_cast<int32_t>(parent_.size()) - 1;
  }

  NodeLists compact() const {
    NodeLists nodes;
    std::vector<int32_t> queue{root_};
    nodes.parent.push_back(NONE);
    nodes.label.push_back(label_[at(root_)]);
    for (std::size_t i = 0; i < queue.size(); ++i)
      for (const int32_t c : children_[at(queue[i])]) {
        queue.push_back(c);
        nodes.parent.push_back(static_cast<int32_t>(i));
        nodes.label.push_back(label_[at(c)]);
      }
    return nodes;
  }

  LabelRows rows_;
  Price price_;
  int32_t root_ = 0;
  std::vector<int32_t> parent_, label_, leaf_;
  std::vector<std::vector<int32_t>> children_;
  std::vector<int64_t> weight_;
  std::vector<int32_t> free_;  // nodes that are not in the tree

  std::vector<int64_t> column_begin_;  // [label + 1]
  std::vector<int32_t> column_rows_;

  // About the subtree at hand.
  std::vector<int32_t> labels_;
  int64_t size_ = 0;              // its rows
  std::vector<int64_t> common_;   // [node] rows shared with it
  std::vector<int32_t> touched_;  // nodes with such rows, and its former ancestors
  std::vector<int64_t> last_walk_;
  int64_t walk_ = 0, subtree_ = 0;
  std::vector<double> path_cost_;
  std::vector<int32_t> path_;
  std::vector<bool> in_subtree_, is_fixed_;  // [label]
  std::vector<int64_t> last_subtree_;        // [row]
};

}  // namespace

NodeLists sweep(const Tree& tree, const LabelRows& rows, Price price, double max_share,
                Interrupt& interrupt) {
  return Sweeper(tree, rows, price).run(max_share, interrupt);
}

}  // namespace labeltree
