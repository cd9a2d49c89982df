// Rows with the same labels, each once.
#pragma once

#include <cstdint>
#include <vector>

#include "data/sparse.hpp"

namespace labeltree {

// Large data has few of them for its size, because most of its rows have few labels of any part of a tree.
struct DistinctRows {
  std::vector<int64_t> indptr;
  std::vector<int32_t> indices;
  std::vector<int64_t> count;  // [row] how many there are

  LabelRows view() const { return {indptr, indices}; }
};

// In the order in which they come first, without those that have no label.
DistinctRows distinct_rows(const LabelRows& rows);

}  // namespace labeltree
