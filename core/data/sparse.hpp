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

// The features of each row, laid out in the same way.
struct FeatureRows {
  std::span<const int64_t> indptr;
  std::span<const int32_t> indices;
  std::span<const float> values;

  std::size_t size() const { return indptr.size() - 1; }
};

inline void check_pointers(std::span<const int64_t> indptr, std::size_t n_indices) {
  if (indptr.empty() || indptr.front() != 0 || indptr.back() != static_cast<int64_t>(n_indices))
    throw std::invalid_argument("indptr must start with 0 and end with the number of indices");
  for (std::size_t i = 0; i + 1 < indptr.size(); ++i)
    if (indptr[i + 1] < indptr[i])
      throw std::invalid_argument("indptr must not decrease, but does at row " + std::to_string(i));
}

// `column` names what the indices are numbers of.
inline void check_columns(std::span<const int32_t> indices, std::size_t n_columns, const char* column) {
  for (const int32_t index : indices)
    if (index < 0 || static_cast<std::size_t>(index) >= n_columns)
      throw std::invalid_argument(column + (" " + std::to_string(index) + " is outside 0.." +
                                            std::to_string(static_cast<int64_t>(n_columns) - 1)));
}

// No index may leave its array.
inline void check(std::span<const int64_t> indptr, std::span<const int32_t> indices, std::size_t n_columns,
                  const char* column) {
  check_pointers(indptr, indices.size());
  check_columns(indices, n_columns, column);
}

// Every kernel that walks rows calls one of these first.
inline void check(const LabelRows& rows, std::size_t n_labels) {
  check(rows.indptr, rows.indices, n_labels, "label");
}
inline void check(const FeatureRows& rows, std::size_t n_features) {
  check(rows.indptr, rows.indices, n_features, "feature");
  if (rows.values.size() != rows.indices.size())
    throw std::invalid_argument("every feature of a row has one value");
}

inline void check_same_size(std::size_t x, std::size_t y) {
  if (x != y)
    throw std::invalid_argument("X and Y must have equally many rows, but have " + std::to_string(x) +
                                " and " + std::to_string(y));
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
