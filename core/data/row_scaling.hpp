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
};

inline void check(const RowScaling& scaling, std::size_t n_features) {
  if (!scaling.weights.empty() && scaling.weights.size() != n_features)
    throw std::invalid_argument("there must be one weight for each feature");
}

// Whether scaling would leave rows as they are. Where the power is 1 and there are no weights, a row of
// length 0 stays, and one whose squared length is within 0.001 of 1: values that were rounded to half
// precision on their way come that close, and no prediction hinges on it.
bool keeps(const RowScaling& scaling, const FeatureRows& rows);

// One row scaled to length 1. A row does not depend on others, and may be scaled in place.
void scale_row(const RowScaling& scaling, std::span<const int32_t> features, std::span<const float> values,
               std::span<float> scaled);

// All rows, into as many values.
void scale_rows(const RowScaling& scaling, const FeatureRows& rows, std::size_t n_features,
                std::span<float> scaled, int n_threads, Interrupt& interrupt);

}  // namespace labeltree
