// Labels that imply others: every row with the one has the other.
#pragma once

#include <cstdint>
#include <vector>

#include "base/interrupt.hpp"
#include "data/sparse.hpp"

namespace labeltree {

struct ImpliedLabels {
  std::vector<int64_t> indptr{0};  // label j implies indices[indptr[j]] .. indices[indptr[j + 1] - 1]
  std::vector<int32_t> indices;
};

// The labels that all rows of a label have, and other rows too, the most frequent first. So none implies
// itself, and what an implied label implies is implied. Labels with fewer than min_rows rows imply nothing,
// nor do those of a row that is too long (longest_walked).
ImpliedLabels implied_labels(const LabelRows& rows, int32_t n_labels, int64_t min_rows, Interrupt& interrupt);

// Throws unless `implied` has the labels that each of n_labels labels implies.
inline void check_implied(const LabelRows& implied, std::size_t n_labels) {
  check(implied, n_labels);
  if (implied.size() != n_labels)
    throw std::invalid_argument("implied labels must be those of " + std::to_string(n_labels) +
                                " labels, but are of " + std::to_string(implied.size()));
}

}  // namespace labeltree
