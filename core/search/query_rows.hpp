// Some rows of a query, scaled as the model's rows were.
#pragma once

#include <cstddef>
#include <vector>

#include "base/index.hpp"
#include "data/row_scaling.hpp"
#include "data/sparse.hpp"
#include "model/weights.hpp"

namespace labeltree {

class QueryRows {
 public:
  // Rows first .. last - 1. Values are copied only where they change.
  void set(const FeatureRows& rows, std::size_t first, std::size_t last, const RowScaling& scaling) {
    if (!scaling.pairs.empty()) return set_paired(rows, first, last, scaling);
    begin_ = rows.indptr.subspan(first, last - first + 1);
    const auto size = at(begin_.back() - begin_.front());
    indices_ = rows.indices.subspan(at(begin_.front()), size);
    values_ = rows.values.subspan(at(begin_.front()), size);
    if (!keeps(scaling, {begin_, rows.indices, rows.values})) scale(scaling);
  }

  std::size_t size() const { return begin_.size() - 1; }
  QueryRow operator[](std::size_t row) const {
    const auto first = at(begin_[row] - begin_[0]);
    const auto length = at(begin_[row + 1] - begin_[row]);
    return {indices_.subspan(first, length), values_.subspan(first, length)};
  }

 private:
  void set_paired(const FeatureRows& rows, std::size_t first, std::size_t last, const RowScaling& scaling) {
    paired_.clear();
    for (std::size_t row = first; row < last; ++row) {
      const auto start = at(rows.indptr[row]), length = at(rows.indptr[row + 1] - rows.indptr[row]);
      paired_.add(scaling.pairs, rows.indices.subspan(start, length), rows.values.subspan(start, length));
    }
    begin_ = paired_.begin;
    indices_ = paired_.indices;
    values_ = paired_.values;
    if (scaling.unit) scale(scaling);
  }

  void scale(const RowScaling& scaling) {
    scaled_.resize(values_.size());
    for (std::size_t row = 0; row < size(); ++row) {
      const QueryRow own = (*this)[row];
      const auto first = at(begin_[row] - begin_[0]);
      scale_row(scaling, own.indices, own.values, std::span(scaled_).subspan(first, own.values.size()));
    }
    values_ = scaled_;
  }

  std::span<const int64_t> begin_;
  std::span<const int32_t> indices_;
  std::span<const float> values_;
  std::vector<float> scaled_;
  PairedRows paired_;
};

}  // namespace labeltree
