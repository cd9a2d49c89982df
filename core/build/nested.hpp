// The optimal tree of nested labels (Matryoshka structure).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace labeltree {

// Parents of the optimum for ascending weights; leaves are nodes 0 .. m-1 in that order. O(m).
// Throws std::invalid_argument if there are no weights.
std::vector<int32_t> nested(std::span<const int64_t> weights);

}  // namespace labeltree
