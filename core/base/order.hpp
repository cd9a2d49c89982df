// Sorting in linear time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace labeltree {

// Labels in ascending order of their counts. Stable radix sort: O(m) for each 11 bits of the largest count.
// Counts are not negative.
std::vector<int32_t> ascending(std::span<const int64_t> counts);

// Sorts numbers from 0 to limit - 1: O(m) for each 8 bits of the limit.
void sort_below(std::vector<int32_t>& numbers, std::size_t limit);

}  // namespace labeltree
