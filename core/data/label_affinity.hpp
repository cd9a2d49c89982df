// Label affinity: how much rows that share a feature share labels.
#pragma once

#include <cstdint>
#include <vector>

#include "base/interrupt.hpp"
#include "data/label_rows.hpp"
#include "data/sparse.hpp"

namespace labeltree {

constexpr double AFFINITY_UNIT = 65536.0;  // a label of one row, in units of what is shared

// Rows that are checked once, for any number of ranges of labels. The arrays behind the views must outlive
// it.
class SharedLabels {
 public:
  SharedLabels(const LabelRows& features, int32_t n_features, const LabelRows& labels, int32_t n_labels);

  // [feature] labels from first to last - 1 that ordered pairs of its rows share; a label of n rows counts
  // 1 / sqrt(n). These are sums of integers, so that they do not depend on the order of threads or ranges.
  std::vector<int64_t> of(int32_t first, int32_t last, int n_threads, Interrupt& interrupt) const;

 private:
  LabelRows features_;
  int32_t n_features_;
  RowsOfLabels by_label_;
};

}  // namespace labeltree
