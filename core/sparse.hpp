// Views of compressed sparse rows. They own nothing.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace labeltree {

// The labels of each row: row i holds indices[indptr[i]] .. indices[indptr[i + 1] - 1].
struct LabelRows {
  std::span<const int64_t> indptr;
  std::span<const int32_t> indices;

  std::size_t size() const { return indptr.size() - 1; }
  std::span<const int32_t> operator[](std::size_t row) const {
    return indices.subspan(static_cast<std::size_t>(indptr[row]),
                           static_cast<std::size_t>(indptr[row + 1] - indptr[row]));
  }
};

// Every kernel that walks label rows calls this first, so that no index can leave its array.
inline void check(const LabelRows& rows, std::size_t n_labels) {
  if (rows.indptr.empty() || rows.indptr.front() != 0 ||
      rows.indptr.back() != static_cast<int64_t>(rows.indices.size()))
    throw std::invalid_argument("indptr must start with 0 and end with the number of indices");
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows.indptr[i + 1] < rows.indptr[i])
      throw std::invalid_argument("indptr must not decrease, but does at row " + std::to_string(i));
  for (std::size_t e = 0; e < rows.indices.size(); ++e)
    if (rows.indices[e] < 0 || static_cast<std::size_t>(rows.indices[e]) >= n_labels)
      throw std::invalid_argument("label " + std::to_string(rows.indices[e]) + " is outside 0.." +
                                  std::to_string(static_cast<int64_t>(n_labels) - 1));
}

// Rows are walked once for each of their labels, so long rows cost the square of their length. Returns the
// longest length for which all such walks together stay within a budget.
inline int64_t longest_walked(const LabelRows& rows) {
  std::vector<int64_t> lengths(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) lengths[i] = rows.indptr[i + 1] - rows.indptr[i];
  std::ranges::sort(lengths);
  double budget = std::max(1e9, 256.0 * static_cast<double>(rows.indices.size()));
  for (const int64_t length : lengths) {
    budget -= static_cast<double>(length) * static_cast<double>(length);
    if (budget < 0) return length - 1;
  }
  return lengths.empty() ? 0 : lengths.back();
}

}  // namespace labeltree
