#include "data/row_scaling.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/elementary.hpp"
#include "base/index.hpp"
#include "base/parallel.hpp"
#include "base/wide.hpp"

namespace labeltree {
namespace {

constexpr std::size_t BLOCK = 1024;          // rows a thread takes at a time
constexpr float SMALLEST = 1.17549435e-38f;  // normal number; what is smaller becomes 0

// |x|^power with the sign of x.
[[gnu::always_inline]] inline Eight raise(Eight x, float power) {
  const Eight zero{}, size = x < 0.0f ? -x : x;
  const Eight exponent = logarithm(size) * power;
  const Eight most = zero + 87.0f;
  const Eight below = exponent < most ? exponent : most;
  const Eight raised = exponential(below > -most ? below : -most);
  const Eight signed_one = x < 0.0f ? -raised : raised;
  return size < SMALLEST ? zero : signed_one;
}

[[gnu::always_inline]] inline void raise_eights(std::span<const float> values, float power,
                                                std::span<float> raised) {
  for (std::size_t i = 0; i < values.size(); i += 8) {
    const std::size_t n = std::min<std::size_t>(8, values.size() - i);
    Eight eight{};
    std::memcpy(&eight, values.data() + i, n * sizeof(float));
    eight = raise(eight, power);
    std::memcpy(raised.data() + i, &eight, n * sizeof(float));
  }
}
constexpr Wide<raise_eights> raise_all;

constexpr double CLOSE = 1e-3;  // of a squared length to 1

// 1 over the length of a row, given the sum of its squares; 1 where the row stays as it is.
double unit_factor(const RowScaling& scaling, double square) {
  const bool is_plain = scaling.power == 1.0f && scaling.weights.empty();
  const bool stays = square <= 0.0 || (is_plain && std::abs(square - 1.0) <= CLOSE);
  return stays ? 1.0 : 1.0 / std::sqrt(square);
}

}  // namespace

bool keeps(const RowScaling& scaling, const FeatureRows& rows) {
  if (!scaling.pairs.empty()) return false;
  if (!scaling.unit) return true;
  if (scaling.power != 1.0f || !scaling.weights.empty()) return false;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    double square = 0.0;
    for (int64_t e = rows.indptr[i]; e < rows.indptr[i + 1]; ++e) {
      const auto value = static_cast<double>(rows.values[at(e)]);
      square += value * value;
    }
    if (unit_factor(scaling, square) != 1.0) return false;
  }
  return true;
}

void scale_row(const RowScaling& scaling, std::span<const int32_t> features, std::span<const float> values,
               std::span<float> scaled) {
  if (scaling.power != 1.0f)
    raise_all(values, scaling.power, scaled);
  else if (values.data() != scaled.data())
    std::ranges::copy(values, scaled.begin());
  // In double precision, where no product of two floats overflows.
  const auto product = [&](std::size_t i) {
    const double weight =
        scaling.weights.empty() ? 1.0 : static_cast<double>(scaling.weights[at(features[i])]);
    return static_cast<double>(scaled[i]) * weight;
  };
  double square = 0.0;
  for (std::size_t i = 0; i < scaled.size(); ++i) square += product(i) * product(i);
  const double factor = unit_factor(scaling, square);
  for (std::size_t i = 0; i < scaled.size(); ++i) scaled[i] = static_cast<float>(product(i) * factor);
}

void scale_rows(const RowScaling& scaling, const FeatureRows& rows, std::size_t n_features,
                std::span<float> scaled, int n_threads, Interrupt& interrupt) {
  check(rows, n_features);
  check(scaling, n_features);
  if (scaled.size() != rows.values.size()) throw std::invalid_argument("every value has one place");
  parallel_for((rows.size() + BLOCK - 1) / BLOCK, n_threads, interrupt, [&](std::size_t block, std::size_t) {
    for (std::size_t i = block * BLOCK; i < std::min(rows.size(), (block + 1) * BLOCK); ++i) {
      const auto first = at(rows.indptr[i]), length = at(rows.indptr[i + 1] - rows.indptr[i]);
      scale_row(scaling, rows.indices.subspan(first, length), rows.values.subspan(first, length),
                scaled.subspan(first, length));
    }
  });
}

}  // namespace labeltree
