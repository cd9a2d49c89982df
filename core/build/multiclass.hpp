// Multi-class trees: Huffman merging down to a few clusters, and the optimal tree over those.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/interrupt.hpp"

namespace labeltree {

// The first `n_binary` merges are binary, the rest ternary, until at most `n_clusters` roots are left.
struct Hybrid {
  std::size_t n_binary, n_clusters;
};

// The cost of that tree, or `below` if it is not cheaper than that. Weights ascend.
int64_t hybrid_cost(std::span<const int64_t> weights, Hybrid hybrid, int64_t below, Interrupt& interrupt);

// Its parents; leaves are nodes 0 .. m-1 in the order of the weights. `below` must be above its cost.
std::vector<int32_t> hybrid_tree(std::span<const int64_t> weights, Hybrid hybrid, int64_t below,
                                 Interrupt& interrupt);

}  // namespace labeltree
