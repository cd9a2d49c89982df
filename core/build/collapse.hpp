// Optimal collapse: which inner nodes to take out of a tree so that it is cheapest.
#pragma once

#include <cstdint>
#include <span>

#include "build/price.hpp"
#include "tree/tree.hpp"

namespace labeltree {

// Returns the cheapest tree that can be had by removing inner nodes (their children go to the nearest kept
// ancestor). Exact: f(u, x) = min(x + K_u, sum of f(c, x) over the children), K_u = sum of f(c, w_u), f(leaf,
// x) = x, where x is the weight of the nearest kept ancestor. f(u, .) is concave and piecewise linear, so it
// is kept as its breakpoints: O(N log N) for N nodes, whatever the depth. Of two equally cheap trees the one
// with fewer nodes is returned, but nodes that no row reaches stay.
NodeLists collapse(const Tree& tree, std::span<const int64_t> weights, Price price);

}  // namespace labeltree
