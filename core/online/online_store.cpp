#include "online/online_store.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>
#include <string>

#include "base/index.hpp"
#include "base/sigmoid.hpp"
#include "base/wide.hpp"

namespace labeltree {
namespace {

static_assert(sizeof(Eight) == BLOCK * sizeof(float));

// Four sums at a time, because each waits for the one before.
[[gnu::always_inline]] inline void score_eight(float* out, const float* data, const uint32_t* slots,
                                               const float* values, std::size_t n, std::size_t row_size) {
  Eight sum[4] = {};
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4)
    for (std::size_t k = 0; k < 4; ++k)
      sum[k] += *reinterpret_cast<const Eight*>(data + slots[i + k] * row_size) * values[i + k];
  for (; i < n; ++i) sum[0] += *reinterpret_cast<const Eight*>(data + slots[i] * row_size) * values[i];
  *reinterpret_cast<Eight*>(out) = (sum[0] + sum[1]) + (sum[2] + sum[3]);
}
constexpr Wide<score_eight> score_block;

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

struct Step {
  Eight gradient;  // of the loss by the score
  Eight active;    // 1 for lanes that learn, 0 for others
};

[[gnu::always_inline]] inline void adagrad(float* data, const uint32_t* slots, const float* values,
                                           std::size_t n, std::size_t row_size, const Step& step,
                                           const OptimizerSettings& settings) {
  const Eight decay = step.active * settings.l2;
  const bool is_plain = settings.l1 == 0.0f;
  for (std::size_t i = 0; i < n; ++i) {
    Eight* planes = reinterpret_cast<Eight*>(data + slots[i] * row_size);
    const Eight g = step.gradient * values[i] + decay * planes[0];
    planes[1] += g * g;
    const Eight rate = settings.learning_rate / root(planes[1] + settings.smoothing);
    const Eight moved = planes[0] - rate * g;
    planes[0] = is_plain ? moved : shrink(moved, rate * step.active * settings.l1);
  }
}
constexpr Wide<adagrad> step_adagrad;

// McMahan et al. 2013, algorithm 1. Planes: weights, squared gradients, z.
[[gnu::always_inline]] inline void ftrl(float* data, const uint32_t* slots, const float* values,
                                        std::size_t n, std::size_t row_size, const Step& step,
                                        const OptimizerSettings& settings) {
  for (std::size_t i = 0; i < n; ++i) {
    Eight* planes = reinterpret_cast<Eight*>(data + slots[i] * row_size);
    const Eight g = step.gradient * values[i];
    const Eight before = root(planes[1]);
    planes[1] += g * g;
    const Eight after = root(planes[1]);
    planes[2] += g - (after - before) / settings.learning_rate * planes[0];
    const Eight scale = (settings.smoothing + after) / settings.learning_rate + settings.l2;
    const Eight moved = shrink(planes[2], settings.l1 - Eight{}) / scale;
    planes[0] = step.active != 0.0f ? -moved : planes[0];
  }
}
constexpr Wide<ftrl> step_ftrl;

// Places of a table for each feature, at least half of it: few features have to look further.
constexpr std::size_t SPARSENESS = 2;

uint32_t hash(int32_t feature) {
  return static_cast<uint32_t>(feature) * 0x9e3779b1u;
}

uint32_t bits_of(std::span<const int32_t> lanes, std::size_t block) {
  uint32_t bits = 0;
  for (const int32_t lane : lanes)
    if (at(lane) / BLOCK == block) bits |= 1u << (at(lane) % BLOCK);
  return bits;
}

}  // namespace

std::size_t OnlineStore::n_bytes() const {
  return data_.capacity() * sizeof(float) + table_.capacity() * sizeof(Entry) +
         features_.capacity() * sizeof(int32_t);
}

float& OnlineStore::number(std::size_t row, std::size_t plane, std::size_t lane, bool is_twin) {
  const std::size_t block = lane / BLOCK + (is_twin ? n_blocks() : 0);
  return data_[row * row_size() + (block * n_planes_ + plane) * BLOCK + lane % BLOCK];
}

void OnlineStore::resize(std::size_t n_lanes, bool has_twins) {
  if (features_.empty()) {
    features_.assign(1, -1);
    index();
  }
  const std::size_t half = n_blocks() * n_planes_ * BLOCK, before = row_size();
  const bool had_twins = has_twins_;
  for (std::size_t lane = n_lanes; lane < n_lanes_; ++lane) {
    clear(lane, false);
    if (had_twins) clear(lane, true);
  }
  const bool is_new = data_.empty();
  n_lanes_ = n_lanes;
  has_twins_ = has_twins;
  const std::size_t new_half = n_blocks() * n_planes_ * BLOCK, after = row_size();
  if (!is_new && before == after && half == new_half) return;
  Lines data(n_rows() * after);
  if (!is_new)
    for (std::size_t row = 0; row < n_rows(); ++row) {
      const float* from = data_.data() + row * before;
      float* to = data.data() + row * after;
      std::copy_n(from, std::min(half, new_half), to);
      if (had_twins && has_twins) std::copy_n(from + half, std::min(half, new_half), to + new_half);
    }
  data_ = std::move(data);
}

void OnlineStore::copy(const OnlineStore& from, std::size_t from_lane, bool from_twin, std::size_t lane,
                       bool is_twin, float sign) {
  for (std::size_t row = 0; row < from.n_rows(); ++row) {
    const bool is_same = &from == this;
    // Weights stay 0 until there was a gradient, and features of other lanes need no room here.
    if (!is_same && row > 0 && from.number(row, 1, from_lane, from_twin) == 0.0f &&
        from.number(row, 0, from_lane, from_twin) == 0.0f)
      continue;
    const std::size_t to = is_same || row == 0 ? row : find_or_add(from.features_[row]);
    for (std::size_t plane = 0; plane < n_planes_; ++plane)
      number(to, plane, lane, is_twin) =
          from.number(row, plane, from_lane, from_twin) * (plane == 1 ? 1.0f : sign);
  }
}

void OnlineStore::clear(std::size_t lane, bool is_twin) {
  for (std::size_t row = 0; row < n_rows(); ++row)
    for (std::size_t plane = 0; plane < n_planes_; ++plane) number(row, plane, lane, is_twin) = 0.0f;
}

void OnlineStore::restore(std::span<const int32_t> features, std::span<const float> data) {
  if (data.size() != features.size() * row_size())
    throw std::invalid_argument("the numbers of a node do not fit its children");
  if (features.empty() || features[0] != -1 || std::ranges::count(features, -1) != 1)
    throw std::invalid_argument("a node must have one bias, and it must be its first feature");
  for (std::size_t i = 0; i < data.size(); ++i)
    if (i / BLOCK % n_planes_ == 1 && data[i] < 0.0f)
      throw std::invalid_argument("sums of squared gradients must be at least 0");
  features_.assign(features.begin(), features.end());
  data_.assign(data.begin(), data.end());
  index();
}

float OnlineStore::largest(std::size_t row) const {
  float most = 0.0f;
  for (std::size_t lane = 0; lane < n_lanes_; ++lane) {
    most = std::max(most, std::abs(number(row, 0, lane, false)));
    if (has_twins_) most = std::max(most, std::abs(number(row, 0, lane, true)));
  }
  return most;
}

void OnlineStore::prune(float least) {
  std::size_t kept = 1;
  const std::size_t size = row_size();
  for (std::size_t row = 1; row < n_rows(); ++row) {
    if (largest(row) <= least) continue;
    std::copy_n(data_.data() + row * size, size, data_.data() + kept * size);
    features_[kept++] = features_[row];
  }
  features_.resize(kept);
  features_.shrink_to_fit();
  data_.resize(kept * size);
  data_.shrink_to_fit();
  index();
}

inline std::size_t OnlineStore::place(int32_t feature) const {
  const std::size_t mask = table_.size() - 1;
  // The upper bits of the product are the well mixed ones.
  std::size_t p = hash(feature) >> (32 - std::bit_width(mask));
  while (table_[p].feature != feature && table_[p].feature != -1) p = (p + 1) & mask;
  return p;
}

void OnlineStore::index() {
  table_.assign(std::bit_ceil(std::max<std::size_t>(8, SPARSENESS * n_rows())), {-1, 0});
  for (std::size_t row = 1; row < n_rows(); ++row)
    table_[place(features_[row])] = {features_[row], static_cast<uint32_t>(row)};
}

std::size_t OnlineStore::find_or_add(int32_t feature) {
  const std::size_t p = place(feature);
  if (table_[p].feature == feature) return table_[p].row;
  const std::size_t row = n_rows();
  features_.push_back(feature);
  data_.resize(data_.size() + row_size());
  table_[p] = {feature, static_cast<uint32_t>(row)};
  if (SPARSENESS * n_rows() > table_.size()) index();
  return row;
}

void OnlineStore::locate(const QueryRow& row, std::vector<uint32_t>& slots) {
  slots.push_back(0);
  const std::size_t shift = 32 - std::bit_width(table_.size() - 1);
  for (const int32_t feature : row.indices) __builtin_prefetch(&table_[hash(feature) >> shift]);
  for (const int32_t feature : row.indices) slots.push_back(static_cast<uint32_t>(find_or_add(feature)));
  const std::size_t size = row_size();
  for (const uint32_t slot : slots) __builtin_prefetch(data_.data() + slot * size);
}

std::span<const float> OnlineStore::scores(const QueryRow& row, float intercept_scaling,
                                           OnlineSpace& space) const {
  space.slots.assign(1, 0);
  space.values.assign(1, intercept_scaling);
  const std::size_t shift = 32 - std::bit_width(table_.size() - 1);
  for (const int32_t feature : row.indices) __builtin_prefetch(&table_[hash(feature) >> shift]);
  const std::size_t size = row_size();
  for (std::size_t i = 0; i < row.indices.size(); ++i) {
    const Entry entry = table_[place(row.indices[i])];
    if (entry.feature == -1) continue;
    space.slots.push_back(entry.row);
    space.values.push_back(row.values[i]);
    __builtin_prefetch(data_.data() + entry.row * size);
  }
  space.scores.resize(n_blocks() * BLOCK);
  for (std::size_t block = 0; block < n_blocks(); ++block) {
    alignas(32) float eight[BLOCK];
    score_block(eight, data_.data() + block * n_planes_ * BLOCK, space.slots.data(), space.values.data(),
                space.slots.size(), size);
    std::copy_n(eight, BLOCK, space.scores.data() + block * BLOCK);
  }
  return {space.scores.data(), n_lanes_};
}

void OnlineStore::learn(const Example& example, std::size_t first, std::size_t last,
                        const OptimizerSettings& settings) {
  for (std::size_t block = first; block < last; ++block) {
    const std::size_t n_here = std::min(BLOCK, n_lanes_ - block * BLOCK);
    learn_block(example, block, (1u << n_here) - 1, bits_of(example.positive, block), settings);
    const uint32_t leaves = bits_of(example.leaves, block);
    if (leaves != 0) learn_block(example, block + n_blocks(), leaves, 0, settings);
  }
}

void OnlineStore::learn_block(const Example& example, std::size_t block, uint32_t active, uint32_t positive,
                              const OptimizerSettings& settings) {
  float* data = data_.data() + block * n_planes_ * BLOCK;
  const std::size_t n = example.slots.size(), size = row_size();
  alignas(32) float score[BLOCK];
  score_block(score, data, example.slots.data(), example.values.data(), n, size);
  Step step{};
  bool any = settings.l2 > 0.0f || settings.l1 > 0.0f;
  for (std::size_t l = 0; l < BLOCK; ++l) {
    if ((active >> l & 1) == 0) continue;
    const bool is_positive = (positive >> l & 1) != 0;
    const float error = sigmoid(is_positive ? -score[l] : score[l]);
    step.active[l] = 1.0f;
    if (error < settings.min_gradient) continue;
    any |= error > 0.0f;
    step.gradient[l] = (is_positive ? -error : error) * example.weight;
  }
  if (!any) return;
  if (settings.optimizer == Optimizer::ftrl)
    step_ftrl(data, example.slots.data(), example.values.data(), n, size, step, settings);
  else
    step_adagrad(data, example.slots.data(), example.values.data(), n, size, step, settings);
}

}  // namespace labeltree
