// How a row is scaled before a model sees it.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>

#include "base/interrupt.hpp"
#include "data/feature_pairs.hpp"
#include "data/sparse.hpp"

namespace labeltree {

struct RowScaling {
  bool unit;                       // scale rows to length 1; nothing else happens without
  float power;                     // of the values, whose signs stay
  std::span<const float> weights;  // [feature or pair], or empty for 1
  FeaturePairs pairs{};            // which rows get before they are scaled

  // How many of the features of a model are features of a row before it gets its pairs.
  std::size_t n_given(std::size_t n_features) const {
    return n_features - std::min(n_features, pairs.partners.size());
  }
};

// Scaled rows have n_features, pairs included.
inline void check(const RowScaling& scaling, std::size_t n_features) {
  if (!scaling.weights.empty() && scaling.weights.size() != n_features)
    throw std::invalid_argument("there must be one weight for each feature");
  if (!scaling.pairs.empty() && scaling.pairs.n_features() + scaling.pairs.partners.size() != n_features)
    throw std::invalid_argument("features and their pairs must be as many as the model has features");
}

// Whether scaling would leave rows as they are. Pairs are new features, so it does not. Where the power is 1
// and there are no weights, a row of length 0 stays, and one whose squared length is within 0.001 of 1:
// values that were rounded to half precision on their way come that close, and no prediction hinges on it.
bool keeps(const RowScaling& scaling, const FeatureRows& rows);

// One row scaled to length 1, with its pairs if there are any. A row does not depend on others, and may be
// scaled in place.
void scale_row(const RowScaling& scaling, std::span<const int32_t> features, std::span<const float> values,
               std::span<float> scaled);

// All rows, into as many values.
void scale_rows(const RowScaling& scaling, const FeatureRows& rows, std::size_t n_features,
                std::span<float> scaled, int n_threads, Interrupt& interrupt);

}  // namespace labeltree
