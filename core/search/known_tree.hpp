// What one row has seen of one tree of a forest.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "base/index.hpp"
#include "search/key_numbers.hpp"
#include "search/search.hpp"

namespace labeltree {

// Gives nodes in the order of probability, and what is known of the probability of any label.
class KnownTree {
 public:
  struct Node {
    float probability;
    int32_t index;
  };

  // least: nodes below it, and below the thresholds of their labels, are not given if is_full. A search for
  // the best few ends by the bound, which must then hold for all labels.
  KnownTree(const Tree& tree, const LabelLimits* limits, float least, bool is_full)
      : tree_(&tree), limits_(limits), least_(least), is_full_(is_full) {}

  void begin(float root) {
    families_.clear();
    begin_.clear();
    probabilities_.clear();
    children_.clear();
    open_.clear();
    add({1.0f, -1}, {&root, 1});
    open(-1);
  }

  int32_t leaf(int32_t label) const { return tree_->leaf(label); }
  int32_t label(const Node& node) const { return tree_->label(node.index); }  // -1 for inner nodes
  bool knows_children(const Node& node) const { return families_.find(node.index) >= 0; }

  void add(const Node& parent, std::span<const float> estimates) {
    families_.add(parent.index);
    begin_.push_back(probabilities_.size());
    for (const float estimate : estimates) probabilities_.push_back(parent.probability * estimate);
  }

  // The lowest node that has a probability on the path to a label.
  Node lowest(int32_t label) const {
    for (int32_t node = leaf(label);; node = tree_->parent(node)) {
      const int32_t parent = tree_->parent(node), family = families_.find(parent);
      if (family >= 0) return {probabilities_[begin_[at(family)] + at(node - first_child(parent))], node};
    }
  }

  // No node that is still to be given is more probable; negative when there is none.
  float bound() const { return open_.empty() ? -1.0f : children_[open_.front().next].probability; }
  Node best() const { return children_[open_.front().next]; }

  // The best node goes, and its children come if they are known.
  void pop() {
    const auto is_worse_family = [&](const Siblings& a, const Siblings& b) {
      return is_before(children_[b.next], children_[a.next]);
    };
    const int32_t node = best().index;
    std::ranges::pop_heap(open_, is_worse_family);
    if (++open_.back().next == open_.back().end) {
      open_.pop_back();
    } else {
      sort_more(open_.back());
      std::ranges::push_heap(open_, is_worse_family);
    }
    if (tree_->degree(node) == 0 || !open(node)) return;
    std::ranges::push_heap(open_, is_worse_family);
  }

 private:
  // Children of one node: `next` up to `sorted` are in order, and better than those up to `end`.
  struct Siblings {
    std::size_t begin, next, sorted, end;  // in children_
  };

  static bool is_before(const Node& a, const Node& b) {
    return a.probability > b.probability || (a.probability == b.probability && a.index < b.index);
  }

  int32_t first_child(int32_t node) const { return node < 0 ? 0 : tree_->first_child(node); }

  bool is_wanted(const Node& node) const {
    if (limits_ != nullptr && limits_->weight(node.index) <= 0.0f) return false;
    if (!is_full_) return true;
    // A label above a threshold on average is above it in one tree at least.
    return node.probability >= least_ &&
           (limits_ == nullptr || node.probability >= limits_->threshold(node.index));
  }

  // Adds the children of a node at the end of open_; false if there are none to give.
  bool open(int32_t node) {
    const std::size_t begin = children_.size(), from = begin_[at(families_.find(node))];
    const int32_t first = first_child(node), size = node < 0 ? 1 : tree_->degree(node);
    const bool all = limits_ == nullptr && !is_full_;
    for (int32_t c = 0; c < size; ++c) {
      const Node child{probabilities_[from + at(c)], first + c};
      if (all || is_wanted(child)) children_.push_back(child);
    }
    if (children_.size() == begin) return false;
    open_.push_back({begin, begin, begin, children_.size()});
    sort_more(open_.back());
    return true;
  }

  // Most children are never given: a few more are sorted at a time.
  void sort_more(Siblings& siblings) {
    if (siblings.next < siblings.sorted) return;
    const std::size_t n_more = std::max(FEW, 3 * (siblings.next - siblings.begin));
    siblings.sorted = std::min(siblings.end, siblings.next + n_more);
    const auto at_place = [&](std::size_t place) {
      return children_.begin() + static_cast<std::ptrdiff_t>(place);
    };
    std::partial_sort(at_place(siblings.next), at_place(siblings.sorted), at_place(siblings.end), is_before);
  }

  static constexpr std::size_t FEW = 4;
  const Tree* tree_;
  const LabelLimits* limits_;
  float least_;
  bool is_full_;
  KeyNumbers families_;               // by parent; -1 has the root
  std::vector<std::size_t> begin_;    // [family] in probabilities_
  std::vector<float> probabilities_;  // of all children, family by family
  std::vector<Node> children_;        // of opened families
  std::vector<Siblings> open_;        // the one with the best next child on top
};

}  // namespace labeltree
