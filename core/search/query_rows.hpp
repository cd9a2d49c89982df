// Some rows of a query, scaled as the model's rows were.
#pragma once

#include <cmath>
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
    begin_ = rows.indptr.subspan(first, last - first + 1);
    const auto size = at(begin_.back() - begin_.front());
    indices_ = rows.indices.subspan(at(begin_.front()), size);
    values_ = rows.values.subspan(at(begin_.front()), size);
    if (scaling.unit && scaling.keeps_unit_rows())
      scale();
    else if (scaling.unit)
      scale(scaling);
  }

  std::size_t size() const { return begin_.size() - 1; }
  QueryRow operator[](std::size_t row) const {
    const auto first = at(begin_[row] - begin_[0]);
    const auto length = at(begin_[row + 1] - begin_[row]);
    return {indices_.subspan(first, length), values_.subspan(first, length)};
  }

 private:
  // A row whose squared length is this close to 1 stays as it is; so it is with the rows that a model is
  // trained with (data/unit_rows.py).
  static constexpr double CLOSE = 1e-3;

  void scale() {
    factors_.clear();
    bool is_unit = true;
    for (std::size_t row = 0; row < size(); ++row) {
      double square = 0.0;
      for (const float value : (*this)[row].values)
        square += static_cast<double>(value) * static_cast<double>(value);
      const bool stays = !(std::abs(square - 1.0) > CLOSE && square > 0.0);
      factors_.push_back(stays ? 1.0 : 1.0 / std::sqrt(square));
      is_unit = is_unit && stays;
    }
    if (is_unit) return;
    scaled_.clear();
    for (std::size_t row = 0; row < size(); ++row)
      for (const float value : (*this)[row].values)
        scaled_.push_back(static_cast<float>(static_cast<double>(value) * factors_[row]));
    values_ = scaled_;
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
  std::vector<double> factors_;
  std::vector<float> scaled_;
};

}  // namespace labeltree
