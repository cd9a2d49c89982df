// Which rows have a label.
#pragma once

#include <cstdint>
#include <vector>

#include "data/sparse.hpp"

namespace labeltree {

struct RowsOfLabels {
  std::vector<int64_t> begin;  // label j owns rows begin[j] .. begin[j + 1] - 1
  std::vector<int32_t> rows;

  // Labels from first to last - 1 must be among them.
  void check_range(int32_t first, int32_t last) const;
};

RowsOfLabels rows_of_labels(const LabelRows& labels, int32_t n_labels);

}  // namespace labeltree
