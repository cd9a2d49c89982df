// What one row has seen of one tree of a forest.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/index.hpp"
#include "search/key_numbers.hpp"
#include "search/search.hpp"

namespace labeltree {

// Gives nodes, the most probable first, and what is known of the probability of any label.
class KnownTree {
 public:
  struct Node {
    float probability;
    int32_t index;
  };

  // is_full: all labels above the thresholds are wanted, so that nodes come in any order, and not if they are
  // below `least` or all thresholds of their labels. A search for the best few ends by the bound, which must
  // then hold for all labels.
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
    const std::size_t begin = probabilities_.size();
    begin_.push_back(begin);
    probabilities_.resize(begin + estimates.size());
    float* const own = probabilities_.data() + begin;
    for (std::size_t c = 0; c < estimates.size(); ++c) own[c] = parent.probability * estimates[c];
  }

  // The lowest node that has a probability on the path to a label; `from` is one that had it before.
  Node lowest(int32_t label, const Node& from) const {
    return tree_->label(from.index) >= 0 || !knows_children(from) ? from : lowest(label);
  }
  Node lowest(int32_t label) const {
    for (int32_t node = leaf(label);; node = tree_->parent(node)) {
      const int32_t parent = tree_->parent(node), family = families_.find(parent);
      if (family >= 0) return {probabilities_[begin_[at(family)] + at(node - first_child(parent))], node};
    }
  }

  // No node that is still to be given is more probable unless is_full; negative when there is none.
  float bound() const { return open_.empty() ? -1.0f : best().probability; }
  Node best() const { return is_full_ ? open_.back().best : open_.front().best; }

  // The best node goes, and its children come if they are known.
  void pop() {
    const int32_t node = best().index;
    if (!is_full_) std::ranges::pop_heap(open_, is_worse_family);
    if (!advance(open_.back()))
      open_.pop_back();
    else if (!is_full_)
      std::ranges::push_heap(open_, is_worse_family);
    if (tree_->degree(node) > 0) open(node);
  }

 private:
  // Children of one node that are still to be given: the best, and others in children_ from `next` on. Up to
  // `sorted` they are in order, and better than those up to `end`.
  struct Siblings {
    Node best;
    std::size_t begin, next, sorted, end;
  };

  static constexpr auto is_before = [](const Node& a, const Node& b) {
    return a.probability > b.probability || (a.probability == b.probability && a.index < b.index);
  };
  static constexpr auto is_worse_family = [](const Siblings& a, const Siblings& b) {
    return is_before(b.best, a.best);
  };

  int32_t first_child(int32_t node) const { return node < 0 ? 0 : tree_->first_child(node); }

  bool is_wanted(const Node& node) const {
    if (limits_ != nullptr && limits_->weight(node.index) <= 0.0f) return false;
    if (!is_full_) return true;
    // A label above a threshold on average is above it in one tree at least.
    return node.probability >= least_ &&
           (limits_ == nullptr || node.probability >= limits_->threshold(node.index));
  }

  void open(int32_t node) {
    const std::size_t begin = children_.size(), from = begin_[at(families_.find(node))];
    const int32_t first = first_child(node), size = node < 0 ? 1 : tree_->degree(node);
    children_.resize(begin + at(size));
    const bool all = limits_ == nullptr && !is_full_;
    std::size_t end = begin, best = begin;
    for (int32_t c = 0; c < size; ++c) {
      const Node child{probabilities_[from + at(c)], first + c};
      if (!all && !is_wanted(child)) continue;
      children_[end] = child;
      if (child.probability > children_[best].probability) best = end;
      ++end;
    }
    children_.resize(end);
    if (end == begin) return;
    std::swap(children_[begin], children_[best]);
    open_.push_back({children_[begin], begin, begin + 1, begin + 1, end});
    if (!is_full_) std::ranges::push_heap(open_, is_worse_family);
  }

  // Goes on to the next best child; false if there is none. Most children are never given, so that only a
  // few more are sorted at a time.
  bool advance(Siblings& siblings) {
    if (siblings.next == siblings.end) return false;
    if (siblings.next == siblings.sorted && !is_full_) {
      siblings.sorted = std::min(siblings.end, siblings.next + 3 * (siblings.next - siblings.begin));
      const auto at_place = [&](std::size_t place) {
        return children_.begin() + static_cast<std::ptrdiff_t>(place);
      };
      std::partial_sort(at_place(siblings.next), at_place(siblings.sorted), at_place(siblings.end),
                        is_before);
    }
    siblings.best = children_[siblings.next++];
    return true;
  }

  const Tree* tree_;
  const LabelLimits* limits_;
  float least_;
  bool is_full_;
  KeyNumbers families_;               // by parent; -1 has the root
  std::vector<std::size_t> begin_;    // [family] in probabilities_
  std::vector<float> probabilities_;  // of all children, family by family
  std::vector<Node> children_;        // of opened families
  std::vector<Siblings> open_;        // the one with the best child on top, unless is_full
};

}  // namespace labeltree
