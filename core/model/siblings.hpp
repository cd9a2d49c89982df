// Normalization of the estimates of siblings.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>

namespace labeltree {

// What becomes of the estimates of siblings, because at least one child of a positive node is positive.
enum class SiblingSums : uint8_t {
  independent,
  at_least_one,  // divided by their sum if it is less than 1 (Theorem 6)
  one,           // divided by their sum, for rows with one label
};

// No estimate exceeds 1 afterwards, so probabilities do not rise on the way down. Where all are 0, each
// becomes 1 divided by their number.
inline void normalize(std::span<float> estimates, SiblingSums sums) {
  if (sums == SiblingSums::independent) return;
  const float sum = std::accumulate(estimates.begin(), estimates.end(), 0.0f);
  if (sum >= 1.0f && sums == SiblingSums::at_least_one) return;
  const float even = 1.0f / static_cast<float>(estimates.size());
  for (float& p : estimates) p = sum > 0.0f ? std::min(p / sum, 1.0f) : even;
}

}  // namespace labeltree
