// The best labels of one row of a forest.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "base/index.hpp"
#include "search/collect.hpp"
#include "search/found.hpp"
#include "search/known_tree.hpp"
#include "search/search.hpp"

namespace labeltree {

// Labels that a tree has named are ranked by what they can reach at most: the mean of what the trees know of
// them so far. So are all those together that no tree has named. What ranks first is looked at more closely,
// until enough labels are known that rank above all others.
class ForestRow {
 public:
  // A node of a tree whose children are to be evaluated.
  struct Request {
    std::size_t tree = 0;
    KnownTree::Node node{};
  };

  ForestRow(std::span<const TreeModel* const> trees, std::span<const LabelLimits* const> limits,
            const Query& query)
      : query_(query),
        limits_(limits.empty() ? nullptr : limits.front()),
        most_(query.k == 0 ? trees.front()->tree().n_labels() : at(query.k)) {
    for (std::size_t t = 0; t < trees.size(); ++t)
      known_.emplace_back(trees[t]->tree(), limits.empty() ? nullptr : limits[t], query.threshold,
                          query.k == 0);
  }

  void begin() {
    named_.clear();
    pending_.clear();
    best_.clear();
    n_calls_ = 0;
  }

  void begin_tree(std::size_t tree, float root, int64_t n_calls) {
    known_[tree].begin(root);
    n_calls_ += n_calls;
  }

  void add(const Request& request, std::span<const float> estimates) {
    known_[request.tree].add(request.node, estimates);
    n_calls_ += static_cast<int64_t>(estimates.size());
  }

  // What to find out next; false when the best labels are known.
  bool next(Request& request) {
    while (true) {
      const float unnamed = rank_of_unnamed();
      if (!pending_.empty() && pending_.front().rank() >= unnamed) {
        if (is_useless(pending_.front()))
          pending_.clear();
        else if (examine(unnamed, request))
          return true;
      } else {
        if (unnamed < 0.0f || (best_.size() >= most_ && unnamed < best_.front().rank())) return false;
        if (step(request)) return true;
      }
    }
  }

  struct Reach {
    float mean;       // at most
    bool is_certain;  // the mean is exactly that
  };

  // Sets the request to what tells most about a label, unless its mean is certain. Rounded sums do not fall
  // where no term does, so that a label never exceeds its reach.
  Reach reach(int32_t label, Request& request) {
    const std::size_t n_trees = known_.size();
    int32_t number = named_.find(label);
    if (number < 0) {
      number = named_.add(label);
      lowest_.resize(named_.size() * n_trees);
      for (std::size_t t = 0; t < n_trees; ++t) lowest_[at(number) * n_trees + t] = known_[t].lowest(label);
    }
    float sum = 0.0f, highest = -1.0f;
    for (std::size_t t = 0; t < n_trees; ++t) {
      KnownTree::Node& lowest = lowest_[at(number) * n_trees + t];
      lowest = known_[t].lowest(label, lowest);
      sum += lowest.probability;
      if (known_[t].label(lowest) >= 0 || lowest.probability <= highest) continue;
      highest = lowest.probability;
      request = {t, lowest};
    }
    return {sum / static_cast<float>(n_trees), highest < 0.0f};
  }

  void finish(Collected& results) {
    std::ranges::sort(best_, is_better);
    for (const Found& found : best_) results.push(found.index(), found.probability);
    results.end_row();
    results.n_calls.push_back(n_calls_);
  }

 private:
  bool is_useless(const Found& label) const {
    return best_.size() >= most_ && is_worse(label, best_.front());
  }

  // The highest rank of a label that no tree has named, or 0 if all are wanted; negative where there is none.
  float rank_of_unnamed() const {
    float sum = 0.0f;
    bool any = false;
    for (const KnownTree& tree : known_) {
      any = any || tree.bound() >= 0.0f;
      sum += std::max(tree.bound(), 0.0f);
    }
    const float mean = sum / static_cast<float>(known_.size());
    if (!any || (query_.k > 0 && mean < query_.threshold)) return -1.0f;
    if (query_.k == 0) return 0.0f;
    return limits_ == nullptr ? mean : query_.curve(mean) * limits_->weight(0);
  }

  // The tree with the highest bound goes on. True if it needs to know the children of its best node.
  bool step(Request& request) {
    const auto tree = std::ranges::max_element(known_, {}, &KnownTree::bound);
    const KnownTree::Node node = tree->best();
    const int32_t label = tree->label(node);
    if (label < 0 && !tree->knows_children(node)) {
      request = {static_cast<std::size_t>(tree - known_.begin()), node};
      return true;
    }
    tree->pop();
    if (label < 0 || named_.find(label) >= 0) return false;
    Request ignored;
    offer(label, reach(label, ignored));
    return false;
  }

  // Looks again at the pending label that ranks first. True if it needs to know more and still does.
  bool examine(float unnamed, Request& request) {
    const int32_t label = pending_.front().index();
    std::ranges::pop_heap(pending_, is_worse);
    pending_.pop_back();
    const Reach found = reach(label, request);
    offer(label, found);
    return !found.is_certain && !pending_.empty() && pending_.front().index() == label &&
           pending_.front().rank() >= unnamed && !is_useless(pending_.front());
  }

  // Adds a label to the best ones if its mean is certain, and else to those that are pending.
  void offer(int32_t label, const Reach& found) {
    const float p = found.mean;
    const int32_t leaf = known_.front().leaf(label);
    if (p < query_.threshold || (limits_ != nullptr && p < limits_->threshold(leaf))) return;
    const Found offered{limits_ == nullptr ? p : query_.curve(p) * limits_->weight(leaf), p, label};
    if (is_useless(offered)) return;
    if (!found.is_certain) {
      pending_.push_back(offered);
      std::ranges::push_heap(pending_, is_worse);
      return;
    }
    best_.push_back(offered);
    if (query_.k == 0) return;
    std::ranges::push_heap(best_, is_better);
    if (best_.size() <= most_) return;
    std::ranges::pop_heap(best_, is_better);
    best_.pop_back();
  }

  const Query& query_;
  const LabelLimits* limits_;  // of the first tree
  std::size_t most_;
  std::vector<KnownTree> known_;
  KeyNumbers named_;                     // labels
  std::vector<KnownTree::Node> lowest_;  // [named label, tree] with a probability, when last looked at
  std::vector<Found> pending_;           // labels whose mean is not certain, the best on top
  std::vector<Found> best_;              // those whose mean is, the worst on top
  int64_t n_calls_ = 0;
};

}  // namespace labeltree
