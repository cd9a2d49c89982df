#include "online/optimizer.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace labeltree {
namespace {

[[gnu::always_inline]] inline Eight root(Eight x) {
  Eight made;
  for (std::size_t l = 0; l < BLOCK; ++l) made[l] = std::sqrt(x[l]);
  return made;
}

[[gnu::always_inline]] inline Eight magnitude(Eight x) {
  return reinterpret_cast<Eight>(reinterpret_cast<EightInts>(x) & 0x7fffffff);
}

// Nearer to 0 by `less`, but not beyond.
[[gnu::always_inline]] inline Eight shrink(Eight x, Eight less) {
  const Eight size = magnitude(x) - less;
  const EightInts sign = reinterpret_cast<EightInts>(x) & static_cast<int32_t>(0x80000000);
  const Eight kept = size > 0.0f ? size : Eight{};
  return reinterpret_cast<Eight>(reinterpret_cast<EightInts>(kept) | sign);
}

// Planes: weights, squared gradients. `slope` is the gradient of the loss by the weight.
[[gnu::always_inline]] inline void adagrad(Eight* planes, Eight slope, Eight active,
                                           const OptimizerSettings& settings) {
  const Eight g = slope + active * settings.l2 * planes[0];
  planes[1] += g * g;
  const Eight rate = settings.learning_rate / root(planes[1] + settings.smoothing);
  const Eight moved = planes[0] - rate * g;
  planes[0] = settings.l1 == 0.0f ? moved : shrink(moved, rate * active * settings.l1);
}

// McMahan et al. 2013, algorithm 1. Planes: weights, squared gradients, z.
[[gnu::always_inline]] inline void ftrl(Eight* planes, Eight slope, Eight active,
                                        const OptimizerSettings& settings) {
  const Eight before = root(planes[1]);
  planes[1] += slope * slope;
  const Eight after = root(planes[1]);
  planes[2] += slope - (after - before) / settings.learning_rate * planes[0];
  const Eight scale = (settings.smoothing + after) / settings.learning_rate + settings.l2;
  const Eight moved = shrink(planes[2], settings.l1 - Eight{}) / scale;
  planes[0] = active != 0.0f ? -moved : planes[0];
}

[[gnu::always_inline]] inline void adagrad_block_loop(const BlockRows& given, const float* skipped,
                                                      const Step& one, const OptimizerSettings& all) {
  // Copies, which no number that is written can be part of.
  const BlockRows rows = given;
  const Step step = one;
  const OptimizerSettings settings = all;
  for (std::size_t i = 0; i < rows.rows.size(); ++i)
    if (rows.rows[i] != skipped)
      adagrad(reinterpret_cast<Eight*>(rows.rows[i] + rows.offset), step.gradient * rows.values[i],
              step.active, settings);
}
constexpr Wide<adagrad_block_loop> adagrad_block;

[[gnu::always_inline]] inline void ftrl_block_loop(const BlockRows& given, const float* skipped,
                                                   const Step& one, const OptimizerSettings& all) {
  // Copies, which no number that is written can be part of.
  const BlockRows rows = given;
  const Step step = one;
  const OptimizerSettings settings = all;
  for (std::size_t i = 0; i < rows.rows.size(); ++i)
    if (rows.rows[i] != skipped)
      ftrl(reinterpret_cast<Eight*>(rows.rows[i] + rows.offset), step.gradient * rows.values[i], step.active,
           settings);
}
constexpr Wide<ftrl_block_loop> ftrl_block;

[[gnu::always_inline]] inline void step_features_loop(Eight* planes, const Eight& slope,
                                                      const OptimizerSettings& settings) {
  const Eight active = Eight{} + 1.0f;
  if (settings.optimizer == Optimizer::ftrl)
    ftrl(planes, slope, active, settings);
  else
    adagrad(planes, slope, active, settings);
}
constexpr Wide<step_features_loop> step_features;

[[gnu::always_inline]] inline void step_blocks_loop(float* numbers, const float* gradients, float value,
                                                    std::size_t n_blocks, const OptimizerSettings& all) {
  const OptimizerSettings settings = all;
  const Eight active = Eight{} + 1.0f;
  const std::size_t n_planes = settings.n_planes();
  for (std::size_t block = 0; block < n_blocks; ++block) {
    Eight* planes = reinterpret_cast<Eight*>(numbers) + block * n_planes;
    const Eight slope = reinterpret_cast<const Eight*>(gradients)[block] * value;
    if (settings.optimizer == Optimizer::ftrl)
      ftrl(planes, slope, active, settings);
    else
      adagrad(planes, slope, active, settings);
  }
}
constexpr Wide<step_blocks_loop> step_blocks;

// Four sums at a time, because each waits for the one before.
[[gnu::always_inline]] inline void score_block_loop(float* out, const BlockRows& rows) {
  Eight sum[4] = {};
  std::size_t i = 0;
  const std::size_t n = rows.rows.size();
  for (; i + 4 <= n; i += 4)
    for (std::size_t k = 0; k < 4; ++k)
      sum[k] += *reinterpret_cast<const Eight*>(rows.rows[i + k] + rows.offset) * rows.values[i + k];
  for (; i < n; ++i) sum[0] += *reinterpret_cast<const Eight*>(rows.rows[i] + rows.offset) * rows.values[i];
  *reinterpret_cast<Eight*>(out) = (sum[0] + sum[1]) + (sum[2] + sum[3]);
}
constexpr Wide<score_block_loop> score_wide;

}  // namespace

void score_block(float* out, const BlockRows& rows) {
  score_wide(out, rows);
}

void step_feature(float* numbers, const float* gradients, float value, std::size_t n_blocks,
                  const OptimizerSettings& settings) {
  step_blocks(numbers, gradients, value, n_blocks, settings);
}

float score_lane(std::span<float* const> numbers, const float* values) {
  float sum[4] = {};
  std::size_t i = 0;
  for (; i + 4 <= numbers.size(); i += 4)
    for (std::size_t k = 0; k < 4; ++k) sum[k] += *numbers[i + k] * values[i + k];
  for (; i < numbers.size(); ++i) sum[0] += *numbers[i] * values[i];
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

void step_block(const BlockRows& rows, const float* skipped, const Step& step,
                const OptimizerSettings& settings) {
  if (settings.optimizer == Optimizer::ftrl)
    ftrl_block(rows, skipped, step, settings);
  else
    adagrad_block(rows, skipped, step, settings);
}

void step_lane(std::span<float* const> numbers, const float* values, float gradient,
               const OptimizerSettings& settings) {
  const std::size_t n_planes = settings.n_planes();
  for (std::size_t first = 0; first < numbers.size(); first += BLOCK) {
    const std::size_t n = std::min(BLOCK, numbers.size() - first);
    Eight planes[3] = {}, slope = {};
    for (std::size_t i = 0; i < n; ++i) {
      slope[i] = gradient * values[first + i];
      for (std::size_t p = 0; p < n_planes; ++p) planes[p][i] = numbers[first + i][p];
    }
    step_features(planes, slope, settings);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t p = 0; p < n_planes; ++p) numbers[first + i][p] = planes[p][i];
  }
}

}  // namespace labeltree
