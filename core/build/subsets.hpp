// The optimal tree of any label sets by dynamic programming over subsets of labels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/interrupt.hpp"
#include "data/sparse.hpp"

namespace labeltree {

constexpr std::size_t max_subset_labels = 18;

// Parents of the cheapest tree; leaves are nodes 0 .. m-1. O(m 3^m) time and O(m 2^m) memory.
// Throws std::invalid_argument beyond max_subset_labels labels.
std::vector<int32_t> cheapest_of_all(const LabelRows& rows, std::size_t n_labels, Interrupt& interrupt);

}  // namespace labeltree
