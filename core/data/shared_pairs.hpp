// Pairs of features, and how much rows that have both share labels.
#pragma once

#include <cstdint>
#include <vector>

#include "base/interrupt.hpp"
#include "data/label_rows.hpp"
#include "data/sparse.hpp"

namespace labeltree {

struct PairCounts {
  std::vector<int32_t> first, second;  // features of the pair; pairs ascend
  std::vector<int32_t> n_rows;         // that have both
  // Labels that ordered pairs of these rows share, as in label_affinity.hpp; estimated from some of many
  // rows.
  std::vector<int64_t> shared;
};

// Rows that are checked once, for any number of ranges of features. The arrays behind the views must outlive
// it. Features of a row ascend.
class SharedPairs {
 public:
  // Rows with more than `max_length` features are left out, because they have too many pairs. `label_weights`
  // are those of shared labels.
  SharedPairs(const LabelRows& features, int32_t n_features, const LabelRows& labels,
              std::span<const int64_t> label_weights, int64_t max_length);

  // Pairs whose first feature is from first to last - 1, with at least `min_rows` rows that share a label.
  PairCounts of(int32_t first, int32_t last, int32_t min_rows, int n_threads, Interrupt& interrupt) const;

 private:
  void fetch(int32_t row) const;  // into the cache

  LabelRows features_;
  LabelRows labels_;
  std::span<const int64_t> label_weights_;
  int32_t n_features_;
  int64_t max_length_;
  RowsOfLabels by_feature_;
};

}  // namespace labeltree
