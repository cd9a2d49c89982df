// Labels in ascending order of their counts.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace labeltree {

// Stable radix sort: O(m) for each 11 bits of the largest count. Counts are not negative.
std::vector<int32_t> ascending(std::span<const int64_t> counts);

}  // namespace labeltree
