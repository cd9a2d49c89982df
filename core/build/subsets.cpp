#include "build/subsets.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

namespace labeltree {
namespace {

using Set = uint32_t;

// Hamming weight of each set of labels: the rows less those whose labels all lie outside.
std::vector<int64_t> set_weights(const LabelRows& rows, std::size_t n_labels) {
  const std::size_t n_sets = std::size_t{1} << n_labels;
  std::vector<int64_t> within(n_sets, 0);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    Set labels = 0;
    for (const int32_t j : rows[i]) labels |= Set{1} << j;
    ++within[labels];
  }
  for (std::size_t j = 0; j < n_labels; ++j)
    for (std::size_t set = 0; set < n_sets; ++set)
      if (set >> j & 1) within[set] += within[set ^ std::size_t{1} << j];
  std::vector<int64_t> weights(n_sets);
  for (std::size_t set = 0; set < n_sets; ++set)
    weights[set] = static_cast<int64_t>(rows.size()) - within[n_sets - 1 - set];
  return weights;
}

// forest(S, k): what k trees that share out the labels S cost below their roots. A tree over S whose root has
// k children costs k |z_S| + forest(S, k), and forest(S, k) splits off the tree of the lowest label of S.
class Forests {
 public:
  Forests(const LabelRows& rows, std::size_t n_labels, Interrupt& interrupt)
      : weights_(set_weights(rows, n_labels)),
        stride_(n_labels + 1),
        costs_(weights_.size() * stride_, never) {
    costs_[0] = 0;
    for (Set set = 1; set < weights_.size(); ++set) {
      if (set % 64 == 0) interrupt.check();  // a look at the clock costs as much as a small set
      fill(set);
    }
  }

  std::size_t best_degree(Set set) const {
    const auto n = static_cast<std::size_t>(std::popcount(set));
    std::size_t best = 2;
    for (std::size_t k = 3; k <= n; ++k)
      if (tree_cost(set, k) < tree_cost(set, best)) best = k;
    return best;
  }

  // The part of the lowest label when S is shared out among k trees.
  Set first_part(Set set, std::size_t k) const {
    if (k == 1) return set;
    const Set low = set & (~set + 1), rest = set ^ low;
    for (Set others = rest;; others = (others - 1) & rest)
      if (at(set ^ others, 1) + at(others, k - 1) == at(set, k)) return set ^ others;
  }

 private:
  static constexpr int64_t never = std::numeric_limits<int64_t>::max() / 4;

  int64_t at(Set set, std::size_t k) const { return costs_[set * stride_ + k]; }
  int64_t tree_cost(Set set, std::size_t k) const {
    return static_cast<int64_t>(k) * weights_[set] + at(set, k);
  }

  void fill(Set set) {
    int64_t* const cost = &costs_[set * stride_];
    const Set low = set & (~set + 1), rest = set ^ low;
    if (rest == 0) {
      cost[1] = 0;
      return;
    }
    for (Set others = rest; others != 0; others = (others - 1) & rest) {
      const int64_t own = at(set ^ others, 1);
      const int64_t* const other = &costs_[others * stride_];
      const auto n = static_cast<std::size_t>(std::popcount(others));
      for (std::size_t k = 1; k <= n; ++k) cost[k + 1] = std::min(cost[k + 1], own + other[k]);
    }
    cost[1] = tree_cost(set, best_degree(set));
  }

  std::vector<int64_t> weights_;
  std::size_t stride_;
  std::vector<int64_t> costs_;  // [set][k]
};

}  // namespace

std::vector<int32_t> cheapest_of_all(const LabelRows& rows, std::size_t n_labels, Interrupt& interrupt) {
  if (n_labels == 0) throw std::invalid_argument("a tree needs at least one label");
  if (n_labels > max_subset_labels)
    throw std::invalid_argument("the exact tree takes at most " + std::to_string(max_subset_labels) +
                                " labels, but there are " + std::to_string(n_labels));
  check(rows, n_labels);
  const Forests forests(rows, n_labels, interrupt);
  std::vector<int32_t> parent(n_labels, -1);
  std::vector<std::pair<Set, int32_t>> open{{(Set{1} << n_labels) - 1, -1}};
  while (!open.empty()) {
    const auto [set, above] = open.back();
    open.pop_back();
    if (std::has_single_bit(set)) {
      parent[static_cast<std::size_t>(std::countr_zero(set))] = above;
      continue;
    }
    const auto node = static_cast<int32_t>(parent.size());
    parent.push_back(above);
    Set left = set;
    for (std::size_t k = forests.best_degree(set); k > 0; --k) {
      const Set part = forests.first_part(left, k);
      open.emplace_back(part, node);
      left ^= part;
    }
  }
  return parent;
}

}  // namespace labeltree
