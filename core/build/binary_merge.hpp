// Greedy binary merging of label sets, as the compaction literature has it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "data/sparse.hpp"

namespace labeltree {

// Which two clusters to merge next; clusters are sets of rows.
enum class Choice : uint8_t { smallest_input, smallest_output, largest_match };

// Parents of the binary tree; leaves are nodes 0 .. m-1.
std::vector<int32_t> binary_merge(const LabelRows& rows, std::size_t n_labels, Choice choice);

}  // namespace labeltree
