// The shortest way from one row to its best labels.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "search/stages.hpp"

namespace labeltree {

struct BestLabels {
  std::vector<int64_t> labels;       // -1 where there are fewer
  std::vector<float> probabilities;  // 0 where there are fewer
};

// The k best labels of a model; `limits` has one for each tree or is empty, `beam` is 0, or that of a single
// tree (search.hpp). Weights rank labels by what the curve makes of
// their probability. Throws std::invalid_argument for features outside
// the model and values that are not finite.
BestLabels best_labels(const Stages& stages, std::span<const LabelLimits* const> limits, const QueryRow& row,
                       int32_t k, int32_t beam, const RowScaling& scaling, const Curve& curve);

}  // namespace labeltree
