#include "online/online_tree.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "base/index.hpp"

namespace labeltree {
namespace {

constexpr double REACHED = 1e15;  // above all that a child may be worth otherwise

}  // namespace

OnlineTree::OnlineTree(const OptimizerSettings& settings) : settings_(settings) {
  add_node(-1, -1);
}

OnlineTree::OnlineTree(const Tree& tree, const OptimizerSettings& settings) : OnlineTree(settings) {
  leaf_.assign(tree.n_labels(), -1);
  nodes_.reserve(tree.n_nodes() + 1);
  for (std::size_t v = 0; v < tree.n_nodes(); ++v) {
    const int32_t label = tree.labels()[v];
    const int32_t made = add_node(tree.parents()[v] + 1, label);
    if (label >= 0) leaf_[at(label)] = made;
  }
  for (std::size_t v = nodes_.size(); v-- > 0;) {
    OnlineNode& one = nodes_[v];
    if (one.label >= 0) one.n_leaves = 1;
    if (one.parent >= 0) node(one.parent).n_leaves += one.n_leaves;
    refresh_twins(static_cast<int32_t>(v));
  }
}

int32_t OnlineTree::add_node(int32_t parent, int32_t label) {
  const auto v = static_cast<int32_t>(nodes_.size());
  OnlineNode made(settings_);
  made.parent = parent;
  made.label = label;
  if (parent >= 0) {
    made.position = static_cast<int32_t>(node(parent).children.size());
    node(parent).children.push_back(v);
  }
  nodes_.push_back(std::move(made));
  return v;
}

// The store of v has a lane for each child, and twins where a child is a leaf.
void OnlineTree::refresh_twins(int32_t v) {
  OnlineNode& one = node(v);
  const bool has_twins = std::ranges::any_of(one.children, [this](int32_t c) { return is_leaf(c); });
  one.store().resize(one.children.size() + 1, has_twins);
}

void OnlineTree::count_leaf(int32_t v, int64_t change) {
  for (; v >= 0; v = node(v).parent) node(v).n_leaves += change;
}

std::vector<int32_t> OnlineTree::breadth_first() const {
  std::vector<int32_t> order(node(ABOVE).children);
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto& children = node(order[i]).children;
    order.insert(order.end(), children.begin(), children.end());
  }
  return order;
}

void OnlineTree::insert(const QueryRow& row, std::span<const uint8_t> is_positive,
                        const GrowthSettings& growth, const Settle& settle, OnlineSpace& space) {
  if (node(ABOVE).children.empty()) return add_leaf(ABOVE);
  int32_t v = node(ABOVE).children.front();
  while (!is_leaf(v) && node(v).children.size() >= growth.max_degree) {
    std::span<const float> scores;
    if (growth.insert != Insert::cost) {
      settle(v);
      scores = node(v).store().scores(row, space);
    }
    v = choose(v, scores, is_positive, growth.insert);
  }
  settle(is_leaf(v) ? node(v).parent : v);
  if (is_leaf(v))
    split_leaf(v, space);
  else
    add_leaf(v);
}

int32_t OnlineTree::choose(int32_t v, std::span<const float> scores, std::span<const uint8_t> is_positive,
                           Insert insert) const {
  const auto& children = node(v).children;
  double best = -std::numeric_limits<double>::infinity();
  int32_t chosen = children.front();
  for (std::size_t i = 0; i < children.size(); ++i) {
    const OnlineNode& child = node(children[i]);
    const double score = scores.empty() ? 0.0 : scores[i + 1];
    const bool is_reached = at(children[i]) < is_positive.size() && is_positive[at(children[i])] != 0;
    const double rarity = -static_cast<double>(child.n_rows);
    double value = score;
    if (insert == Insert::cost) value = rarity;
    if (insert == Insert::cost_and_score)
      value = -std::log1p(std::exp(-score)) - std::log(static_cast<double>(child.n_leaves));
    // The rarest of those that the row reaches anyway: more labels there cost the fewest other rows.
    if (insert != Insert::score && is_reached) value = REACHED + rarity;
    if (value > best) {
      best = value;
      chosen = children[i];
    }
  }
  return chosen;
}

// All rows that reached v were no rows of the new label, as for the lane of the next child.
void OnlineTree::add_leaf(int32_t v) {
  const auto label = static_cast<int32_t>(leaf_.size());
  const int32_t made = add_node(v, label);
  leaf_.push_back(made);
  refresh_twins(v);
  OnlineStore& store = node(v).store();
  store.copy(0, node(v).children.size());
  count_leaf(made, 1);
}

// A new parent takes the leaf's place. Of the rows that reach it, all so far were rows of the leaf and none
// of the new label: what the leaf's twin has learned, with its sign changed or not.
void OnlineTree::split_leaf(int32_t old, OnlineSpace& space) {
  const int32_t above = node(old).parent, position = node(old).position;
  const int32_t middle = add_node(-1, -1);
  node(middle).parent = above;
  node(middle).position = position;
  node(middle).n_rows = node(old).n_rows;
  node(middle).n_leaves = 1;
  node(above).children[at(position)] = middle;
  node(old).parent = middle;
  node(old).position = 0;
  node(middle).children.push_back(old);
  refresh_twins(middle);
  OnlineStore& store = node(middle).store();
  const OnlineStore& twins = node(above).store();
  const auto lane = at(position) + 1;
  store.start_from_twin(twins, lane, space);
  store.copy_twin(twins, lane, 1);
  node(above).store().clear(lane, true);
  refresh_twins(above);
  add_leaf(middle);
}

void OnlineTree::remove_labels(std::span<const uint8_t> keep) {
  if (keep.size() != leaf_.size()) throw std::invalid_argument("keep must have one entry for each label");
  std::vector<int32_t> kept;
  for (std::size_t j = 0; j < keep.size(); ++j)
    if (keep[j] != 0)
      kept.push_back(leaf_[j]);
    else
      remove(leaf_[j]);
  leaf_ = std::move(kept);
  for (std::size_t j = 0; j < leaf_.size(); ++j) node(leaf_[j]).label = static_cast<int32_t>(j);
}

// The last sibling moves to the place of v.
void OnlineTree::remove(int32_t v) {
  const int32_t above = node(v).parent;
  OnlineNode& parent = node(above);
  const auto position = at(node(v).position), last = parent.children.size() - 1;
  count_leaf(above, -node(v).n_leaves);
  if (position != last) {
    parent.children[position] = parent.children[last];
    node(parent.children[position]).position = static_cast<int32_t>(position);
    parent.store().copy(last + 1, position + 1);
    if (parent.store().has_twins()) parent.store().copy_twin(parent.store(), last + 1, position + 1);
  }
  parent.children.pop_back();
  refresh_twins(above);
  node(v) = OnlineNode(settings_);
  if (above != ABOVE && parent.children.size() == 1) contract(above);
}

void OnlineTree::contract(int32_t v) {
  const int32_t above = node(v).parent, position = node(v).position, child = node(v).children.front();
  node(above).children[at(position)] = child;
  node(child).parent = above;
  node(child).position = position;
  refresh_twins(above);
  if (is_leaf(child)) node(above).store().copy_twin(node(v).store(), 1, at(position) + 1);
  node(v) = OnlineNode(settings_);
}

}  // namespace labeltree
