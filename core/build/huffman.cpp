#include "build/huffman.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

namespace labeltree {
namespace {

std::size_t count_zeros(std::span<const int64_t> weights) {
  return static_cast<std::size_t>(std::ranges::find_if(weights, [](int64_t w) { return w > 0; }) -
                                  weights.begin());
}

// The roots wait in two queues, leaves and inner nodes, both ascending: merged weights never decrease.
class Queues {
 public:
  explicit Queues(std::span<const int64_t> weights) : leaves_(weights) {
    merging_.parent.reserve(2 * weights.size());
    merging_.parent.assign(weights.size(), -1);
    merging_.weight.reserve(weights.size());
  }

  std::size_t n_roots() const { return leaves_.size() - leaf_ + merging_.weight.size() - inner_; }

  void merge(std::size_t n) {
    const auto node = static_cast<int32_t>(merging_.parent.size());
    int64_t weight = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t root = pop();
      merging_.parent[root] = node;
      weight += root < leaves_.size() ? leaves_[root] : merging_.weight[root - leaves_.size()];
    }
    merging_.parent.push_back(-1);
    merging_.weight.push_back(weight);
    merging_.cost += __int128{weight} * static_cast<int64_t>(n);
  }

  Merging finish() && {
    while (n_roots() > 0) merging_.roots.push_back(static_cast<int32_t>(pop()));
    return std::move(merging_);
  }

 private:
  // A leaf goes before an inner node of the same weight, which keeps the tree shallow.
  std::size_t pop() {
    const bool leaf = inner_ == merging_.weight.size() ||
                      (leaf_ < leaves_.size() && leaves_[leaf_] <= merging_.weight[inner_]);
    return leaf ? leaf_++ : leaves_.size() + inner_++;
  }

  std::span<const int64_t> leaves_;
  Merging merging_;
  std::size_t leaf_ = 0, inner_ = 0;  // heads of the queues
};

}  // namespace

Merging merge_lightest(std::span<const int64_t> weights, const MergeRule& rule) {
  Queues queues(weights);
  for (std::size_t zeros = count_zeros(weights); zeros > 1;) {
    const std::size_t n = std::min(zeros, rule.arity);
    queues.merge(n);
    zeros -= n - 1;
  }
  for (std::size_t i = 0; queues.n_roots() > rule.n_roots; ++i)
    queues.merge(std::min(i < rule.n_first ? rule.first_arity : rule.arity, queues.n_roots()));
  return std::move(queues).finish();
}

std::vector<int32_t> huffman(std::span<const int64_t> weights, std::size_t arity) {
  if (weights.empty()) throw std::invalid_argument("a tree needs at least one label");
  if (arity < 2) throw std::invalid_argument("arity must be at least 2, but is " + std::to_string(arity));
  arity = std::min(arity, std::max<std::size_t>(weights.size(), 2));
  // Every merge but the short one lowers the number of roots by arity - 1.
  const std::size_t zeros = count_zeros(weights);
  const std::size_t n_roots = weights.size() - zeros + std::min<std::size_t>(zeros, 1);
  const std::size_t excess = (n_roots - 1) % (arity - 1);
  Merging short_last = merge_lightest(weights, {0, arity, arity, 1});
  if (excess == 0) return std::move(short_last.parent);
  Merging short_first = merge_lightest(weights, {1, excess + 1, arity, 1});
  return std::move(short_first.cost <= short_last.cost ? short_first.parent : short_last.parent);
}

}  // namespace labeltree
