// The optimal multi-class tree by cost levels. The cost level of a node is the sum of the degrees above it;
// some optimum has only degrees 2 and 3, and at most two binary nodes on each level.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/interrupt.hpp"

namespace labeltree {

// What becomes of the nodes of one cost level: leaves take the heaviest labels left, the rest is ternary.
struct Level {
  int32_t n_leaves, n_binary;
};

constexpr std::size_t max_level_labels = 4096;  // numbers of nodes are kept in 16 bits

struct LevelPlan {
  int64_t cost;               // the sum of weight times cost level over the labels
  std::vector<Level> levels;  // from the root; empty if no tree costs less than `below`
};

// The cheapest tree among those that cost less than `below`. Weights descend and are not negative, and at
// most one is 0. O(m^4) at worst; a tight `below` makes it faster by orders of magnitude.
// Throws std::invalid_argument if there are no weights or more than max_level_labels.
LevelPlan plan_levels(std::span<const int64_t> weights, int64_t below, Interrupt& interrupt);

// Parents of the planned tree; leaves are nodes 0 .. m-1 in the order of the weights.
std::vector<int32_t> grow_levels(std::span<const Level> levels, std::size_t n_leaves);

}  // namespace labeltree
