#include "build/multiclass.hpp"

#include <stdexcept>

#include "build/huffman.hpp"
#include "build/levels.hpp"

namespace labeltree {
namespace {

struct Solution {
  Merging merging;
  int64_t merging_cost;  // merges of two and three are too few to overflow
  LevelPlan plan;        // over the roots of the merging, heaviest first
};

Solution solve(std::span<const int64_t> weights, Hybrid hybrid, int64_t below, Interrupt& interrupt) {
  if (weights.empty()) throw std::invalid_argument("a tree needs at least one label");
  Merging merging = merge_lightest(weights, {hybrid.n_binary, 2, 3, hybrid.n_clusters});
  std::vector<int64_t> root_weights;
  for (std::size_t i = merging.roots.size(); i-- > 0;) {
    const auto root = static_cast<std::size_t>(merging.roots[i]);
    root_weights.push_back(root < weights.size() ? weights[root] : merging.weight[root - weights.size()]);
  }
  const auto merging_cost = static_cast<int64_t>(merging.cost);
  LevelPlan plan = plan_levels(root_weights, below - merging_cost, interrupt);
  return {std::move(merging), merging_cost, std::move(plan)};
}

}  // namespace

int64_t hybrid_cost(std::span<const int64_t> weights, Hybrid hybrid, int64_t below, Interrupt& interrupt) {
  const Solution solution = solve(weights, hybrid, below, interrupt);
  return solution.merging_cost + solution.plan.cost;
}

std::vector<int32_t> hybrid_tree(std::span<const int64_t> weights, Hybrid hybrid, int64_t below,
                                 Interrupt& interrupt) {
  Solution solution = solve(weights, hybrid, below, interrupt);
  if (solution.plan.levels.empty()) throw std::invalid_argument("the tree is not cheaper than asked for");
  const std::vector<int32_t>& roots = solution.merging.roots;
  const std::vector<int32_t> top = grow_levels(solution.plan.levels, roots.size());
  std::vector<int32_t> parent = std::move(solution.merging.parent);
  // Inner nodes of the top come last, so their numbers move up together.
  const auto moved = [shift = static_cast<int32_t>(parent.size() - roots.size())](int32_t node) {
    return node < 0 ? node : node + shift;
  };
  for (std::size_t i = 0; i < roots.size(); ++i)
    parent[static_cast<std::size_t>(roots[roots.size() - 1 - i])] = moved(top[i]);
  for (std::size_t i = roots.size(); i < top.size(); ++i) parent.push_back(moved(top[i]));
  return parent;
}

}  // namespace labeltree
