// Steps of AdaGrad and FTRL: eight lanes of a feature, or eight features of a lane, at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/wide.hpp"

namespace labeltree {

enum class Optimizer : uint8_t { adagrad, ftrl };

struct OptimizerSettings {
  Optimizer optimizer;
  float learning_rate;
  float smoothing;  // added to the sum of squared gradients (AdaGrad) or its root (FTRL)
  float l1, l2;
  float intercept_scaling;  // value of a constant feature
  float min_gradient;       // a lane whose probability is wrong by less learns nothing from the row

  std::size_t n_planes() const { return optimizer == Optimizer::ftrl ? 3 : 2; }
};

// Lanes are handled in blocks: a block of AdaGrad is one line of the cache.
constexpr std::size_t BLOCK = 8;
static_assert(sizeof(Eight) == BLOCK * sizeof(float));

struct Step {
  Eight gradient{};  // of the loss by the score
  Eight active{};    // 1 for lanes that learn, 0 for others
};

// Rows of numbers and the values of their features. A block of a row is [plane][lane].
struct BlockRows {
  std::span<float* const> rows;
  const float* values;
  std::size_t offset;  // of the block in each row
};

void score_block(float* out, const BlockRows& rows);
// Rows that are `skipped` stay as they are.
void step_block(const BlockRows& rows, const float* skipped, const Step& step,
                const OptimizerSettings& settings);
// The same to the last bit for one feature: its numbers in some blocks, and the gradients [lane] of these.
void step_feature(float* numbers, const float* gradients, float value, std::size_t n_blocks,
                  const OptimizerSettings& settings);
// The same to the last bit for one lane, whose numbers are [plane] for each feature.
float score_lane(std::span<float* const> numbers, const float* values);
void step_lane(std::span<float* const> numbers, const float* values, float gradient,
               const OptimizerSettings& settings);

}  // namespace labeltree
