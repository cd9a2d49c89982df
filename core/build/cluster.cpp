#include "build/cluster.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "base/index.hpp"
#include "base/parallel.hpp"
#include "build/bisect.hpp"

namespace labeltree {
namespace {

struct Node {
  Cluster cluster;
  int32_t number, depth;
};

class Grower {
 public:
  Grower(LabelVectors&& vectors, const ClusterSettings& settings, Interrupt& interrupt)
      : settings_(settings),
        interrupt_(interrupt),
        n_features_(vectors.n_features),
        labels_(std::move(vectors)) {
    // Frequent features first: their sums then share a few cache lines. Later numberings keep the order.
    number_by_frequency();
    const double n_labels = static_cast<double>(labels_.order.size());
    max_unbalanced_depth_ = 8.0 + 4.0 * std::log2(n_labels) / std::log2(static_cast<double>(settings.arity));
  }

  NodeLists run() {
    const auto n_labels = static_cast<int32_t>(labels_.order.size());
    if (n_labels == 1) return {{-1}, {0}};
    NodeLists tree{{-1}, {-1}};
    std::vector<Node> open{{{0, n_labels, n_features_, settings_.seed}, 0, 0}};
    if (settings_.n_threads > 1) open = split_large(std::move(open), tree);
    std::vector<NodeLists> subtrees(open.size());
    parallel_for(open.size(), settings_.n_threads, interrupt_,
                 [&](std::size_t i, std::size_t) { subtrees[i] = grow(open[i]); });
    for (std::size_t i = 0; i < open.size(); ++i) graft(tree, open[i].number, subtrees[i]);
    return tree;
  }

 private:
  void number_by_frequency() {
    std::vector<int32_t> counts(at(n_features_), 0);
    for (const Entry& entry : labels_.entries) ++counts[at(entry.feature)];
    // [count] where features of that count begin, those of the largest first
    std::vector<int32_t> next(labels_.order.size() + 2, 0);
    const auto place = [&](int32_t count) { return labels_.order.size() - at(count); };
    for (const int32_t count : counts) ++next[place(count) + 1];
    std::partial_sum(next.begin(), next.end(), next.begin());
    for (int32_t& count : counts) count = next[place(count)]++;
    for (Entry& entry : labels_.entries) entry.feature = counts[at(entry.feature)];
  }

  // Splits level by level until there are enough clusters to give each thread its own, and returns them, the
  // largest first. A level of few clusters has all threads work together on each of them.
  std::vector<Node> split_large(std::vector<Node> open, NodeLists& tree) {
    const auto large = static_cast<int32_t>(labels_.order.size()) / (4 * settings_.n_threads);
    std::vector<Node> small;
    while (!open.empty()) {
      const bool together = std::ssize(open) < settings_.n_threads;
      std::vector<std::vector<Cluster>> parts(open.size());
      parallel_for(open.size(), together ? 1 : settings_.n_threads, interrupt_,
                   [&](std::size_t i, std::size_t) {
                     Bisector bisector(labels_, together ? settings_.n_threads : 1, interrupt_);
                     parts[i] = parts_of(open[i], bisector);
                   });
      std::vector<Node> children;
      for (std::size_t i = 0; i < open.size(); ++i) add_children(open[i], parts[i], tree, children);
      open.clear();
      for (const Node& node : children) (node.cluster.size() > large ? open : small).push_back(node);
    }
    std::ranges::stable_sort(small, std::greater<>(), [](const Node& node) { return node.cluster.size(); });
    return small;
  }

  // The tree under a node, which is number 0 in it.
  NodeLists grow(Node node) {
    node.number = 0;
    NodeLists tree{{-1}, {-1}};
    Bisector bisector(labels_, 1, interrupt_);
    std::vector<Node> open{node};
    while (!open.empty()) {
      const Node next = open.back();
      open.pop_back();
      add_children(next, parts_of(next, bisector), tree, open);
    }
    return tree;
  }

  // The clusters of the children of a node; none if they are leaves.
  std::vector<Cluster> parts_of(const Node& node, Bisector& bisector) {
    if (node.cluster.size() <= std::max(settings_.max_leaf_size, settings_.arity) ||
        node.depth + 1 >= settings_.max_depth)
      return {};
    const bool balanced = settings_.balanced || node.depth > max_unbalanced_depth_;
    return balanced ? equal_parts(node.cluster, bisector) : natural_parts(node.cluster, bisector);
  }

  // Adds the children of a node to the tree; those that are clusters of several labels are open.
  void add_children(const Node& node, const std::vector<Cluster>& parts, NodeLists& tree,
                    std::vector<Node>& open) {
    const auto add = [&](int32_t label) {
      tree.parent.push_back(node.number);
      tree.label.push_back(label);
      return static_cast<int32_t>(tree.parent.size()) - 1;
    };
    for (int32_t i = node.cluster.first; parts.empty() && i < node.cluster.last; ++i)
      add(labels_.order[at(i)]);
    for (const Cluster& part : parts)
      if (part.size() == 1)
        add(labels_.order[at(part.first)]);
      else
        open.push_back({part, add(-1), node.depth + 1});
  }

  // Halves the number of parts with each bisection, and the labels in proportion.
  std::vector<Cluster> equal_parts(const Cluster& cluster, Bisector& bisector) {
    std::vector<Cluster> parts;
    std::vector<std::pair<Cluster, int32_t>> open{{cluster, settings_.arity}};
    while (!open.empty()) {
      const auto [next, n_parts] = open.back();
      open.pop_back();
      if (n_parts == 1) {
        parts.push_back(next);
        continue;
      }
      const int32_t n_left = (n_parts + 1) / 2;
      const int32_t size = next.size() / n_parts * n_left + std::min(next.size() % n_parts, n_left);
      const auto [left, right] = bisector.split(next, size);
      open.emplace_back(right, n_parts - n_left);
      open.emplace_back(left, n_left);
    }
    return parts;
  }

  // Bisects the largest part until there are enough.
  std::vector<Cluster> natural_parts(const Cluster& cluster, Bisector& bisector) {
    const auto by_size = [](const Cluster& a, const Cluster& b) {
      return std::pair(a.size(), -a.first) < std::pair(b.size(), -b.first);
    };
    std::vector<Cluster> parts{cluster};
    while (std::ssize(parts) < settings_.arity) {
      std::ranges::pop_heap(parts, by_size);
      const auto [left, right] = bisector.split(parts.back(), 0);
      parts.back() = left;
      std::ranges::push_heap(parts, by_size);
      parts.push_back(right);
      std::ranges::push_heap(parts, by_size);
    }
    std::ranges::sort(parts, {}, &Cluster::first);
    return parts;
  }

  // Puts a subtree in place of a node without children.
  static void graft(NodeLists& tree, int32_t node, const NodeLists& subtree) {
    const auto shift = static_cast<int32_t>(tree.parent.size()) - 1;
    for (std::size_t v = 1; v < subtree.parent.size(); ++v) {
      tree.parent.push_back(subtree.parent[v] == 0 ? node : subtree.parent[v] + shift);
      tree.label.push_back(subtree.label[v]);
    }
  }

  ClusterSettings settings_;
  Interrupt& interrupt_;
  int32_t n_features_;
  ClusteredLabels labels_;
  // One label after the other might be split off, so deeper splits are balanced.
  double max_unbalanced_depth_;
};

}  // namespace

NodeLists cluster(LabelVectors vectors, const ClusterSettings& settings, Interrupt& interrupt) {
  if (settings.arity < 2)
    throw std::invalid_argument("arity must be at least 2, but is " + std::to_string(settings.arity));
  if (settings.max_leaf_size < 1)
    throw std::invalid_argument("max_leaf_size must be at least 1, but is " +
                                std::to_string(settings.max_leaf_size));
  if (settings.max_depth < 1)
    throw std::invalid_argument("max_depth must be at least 1, but is " + std::to_string(settings.max_depth));
  return Grower(std::move(vectors), settings, interrupt).run();
}

}  // namespace labeltree
