// Label affinity: how much rows that share a feature share labels.
#pragma once

#include <cstdint>
#include <vector>

#include "base/interrupt.hpp"
#include "data/sparse.hpp"

namespace labeltree {

constexpr double AFFINITY_UNIT = 65536.0;  // a label of one row, in units of `shared`

// All are sums of integers, so that they do not depend on the order of threads.
struct LabelAffinity {
  std::vector<int64_t> rows;    // [feature] that have it
  std::vector<int64_t> shared;  // [feature] labels that ordered pairs of these rows share; a label of n rows
                                // counts 1 / sqrt(n)
};

LabelAffinity label_affinity(const LabelRows& features, int32_t n_features, const LabelRows& labels,
                             int32_t n_labels, int n_threads, Interrupt& interrupt);

}  // namespace labeltree
