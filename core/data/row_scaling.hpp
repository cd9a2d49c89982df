// How a row is scaled before a model sees it.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>

#include "base/interrupt.hpp"
#include "data/sparse.hpp"

namespace labeltree {

struct RowScaling {
  bool unit;                       // scale rows to length 1; nothing else happens without
  float power;                     // of the values, whose signs stay
  std::span<const float> weights;  // [feature], or empty for 1

  // Whether rows of length 1 stay as they are.
  bool keeps_unit_rows() const { return power == 1.0f && weights.empty(); }
};

inline void check(const RowScaling& scaling, std::size_t n_features) {
  if (!scaling.weights.empty() && scaling.weights.size() != n_features)
    throw std::invalid_argument("there must be one weight for each feature");
}

// One row of length 1, unless it has none. A row does not depend on others, and may be scaled where it lies.
void scale_row(const RowScaling& scaling, std::span<const int32_t> features, std::span<const float> values,
               std::span<float> scaled);

// All rows, into as many values.
void scale_rows(const RowScaling& scaling, const FeatureRows& rows, std::size_t n_features,
                std::span<float> scaled, int n_threads, Interrupt& interrupt);

}  // namespace labeltree
